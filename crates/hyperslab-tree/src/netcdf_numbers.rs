//! netCDF's numbers of dimensions in the attributes of scales and variables, where some dimensions are left out.

use hyperslab::Attribute;
use hyperslab::datatypes::{ByteOrder, Class, Integer};
use hyperslab::number::integer_value;
use std::collections::HashMap;

/// The attributes that have such numbers.
const NUMBERED: [&[u8]; 2] = [b"_Netcdf4Dimid", b"_Netcdf4Coordinates"];

/// Replaces the numbers in an attribute that has such numbers.
pub fn renumber(attribute: &mut Attribute, new: &HashMap<i64, i64>) {
    let Class::Integer(integer) = &attribute.datatype.class else { return };
    let size = attribute.datatype.size as usize;
    if new.is_empty() || !NUMBERED.contains(&attribute.name.as_bytes()) || !matches!(size, 1 | 2 | 4 | 8) {
        return;
    }
    let integer = integer.clone();
    let mut data = attribute.data.to_vec();
    for element in data.chunks_exact_mut(size) {
        let number = i64::try_from(integer_value(&integer, element)).ok();
        if let Some(&number) = number.and_then(|number| new.get(&number)) {
            store(&integer, number, element);
        }
    }
    attribute.data = data.into();
}

fn store(integer: &Integer, number: i64, element: &mut [u8]) {
    let size = element.len();
    element.copy_from_slice(&number.to_le_bytes()[..size]);
    if integer.order == ByteOrder::Big {
        element.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab::{Dataspace, Datatype};

    #[test]
    fn numbers_of_any_size_and_order_are_replaced() {
        let new = HashMap::from([(0, 0), (300, 1), (5, 2)]);
        for (size, order) in [(2, ByteOrder::Little), (4, ByteOrder::Big), (8, ByteOrder::Big)] {
            let integer = Integer { order, signed: true, bit_offset: 0, precision: 8 * size as u16 };
            let encoded = |numbers: &[i64]| {
                let mut data = vec![0; numbers.len() * size];
                let elements = data.chunks_exact_mut(size);
                elements.zip(numbers).for_each(|(element, &number)| store(&integer, number, element));
                data
            };
            let mut attribute = Attribute {
                name: "_Netcdf4Coordinates".into(),
                charset: hyperslab::datatypes::Charset::Ascii,
                datatype: Datatype {
                    size: size as u32,
                    class: Class::Integer(integer.clone()),
                    committed: None,
                },
                dataspace: Dataspace::Simple { dims: vec![4], max_dims: vec![Some(4)] },
                data: encoded(&[300, 0, 5, 7]).into(),
                creation_order: None,
            };
            renumber(&mut attribute, &new);
            assert_eq!(attribute.data[..], encoded(&[1, 0, 2, 7]));
            attribute.name = "units".into();
            renumber(&mut attribute, &new);
            assert_eq!(attribute.data[..], encoded(&[1, 0, 2, 7]));
        }
    }
}
