//! Datatypes in a few characters, in the notation of h5py and NumPy: `>f4`, `|S10`, `str`, `compound{a: <i4, b: <f8}`.

use hyperslab_format::message::datatype::{Float, Normalization, Reference};
use hyperslab_format::message::{ByteOrder, Class, Datatype};

/// The short notation of a datatype.
pub fn short(datatype: &Datatype) -> String {
    let size = datatype.size;
    match &datatype.class {
        Class::Integer(integer) => {
            let kind = if integer.signed { 'i' } else { 'u' };
            let precision = u64::from(integer.precision);
            let odd = if precision == 8 * u64::from(size) {
                String::new()
            } else {
                format!(" of {precision} bits")
            };
            format!("{}{kind}{size}{odd}", order(integer.order, size))
        }
        Class::Float(float) => short_float(float, size),
        Class::Time { order: byte_order, .. } => format!("time {}i{size}", order(*byte_order, size)),
        Class::FixedString { .. } => format!("|S{size}"),
        Class::VlenString { .. } => "str".into(),
        Class::Bitfield { order: byte_order, .. } => format!("bitfield {}u{size}", order(*byte_order, size)),
        Class::Opaque { .. } => format!("|V{size}"),
        Class::Compound { members } => {
            let members =
                members.iter().map(|member| format!("{}: {}", member.name, short(&member.datatype)));
            format!("compound{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Class::Reference(Reference::Object) => "object reference".into(),
        Class::Reference(Reference::Region) => "region reference".into(),
        Class::Reference(Reference::Standard { .. }) => "reference".into(),
        Class::Enum { base, members } => {
            let names: Vec<String> = members.iter().map(|(name, _)| name.to_string()).collect();
            if names.len() == 2 && names.contains(&"FALSE".into()) && names.contains(&"TRUE".into()) {
                return "bool".into();
            }
            format!("enum {}", short(base))
        }
        Class::VlenSequence { base } => format!("vlen{{{}}}", short(base)),
        Class::Array { dims, base } => {
            let dims = dims.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
            format!("({dims}){}", short(base))
        }
        Class::Complex { base } => match &base.class {
            Class::Float(float) if float.is_ieee(base.size) => {
                format!("{}c{size}", order(float.order, base.size))
            }
            _ => format!("complex{{{}}}", short(base)),
        },
    }
}

fn short_float(float: &Float, size: u32) -> String {
    let is_extended = float.precision == 80 && float.mantissa_size == 64;
    if float.is_ieee(size) || (is_extended && float.normalization == Normalization::None) {
        return format!("{}f{size}", order(float.order, size));
    }
    let prefix = if float.order == ByteOrder::Vax { "VAX " } else { order(float.order, size) };
    format!("{prefix}float{}{{e{}m{}}}", float.precision, float.exponent_size, float.mantissa_size)
}

fn order(order: ByteOrder, size: u32) -> &'static str {
    match order {
        _ if size == 1 => "|",
        ByteOrder::Little => "<",
        ByteOrder::Big => ">",
        ByteOrder::Vax => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_format::message::datatype::{Charset, Integer, Member, StringPadding};

    fn integer(size: u32, signed: bool, order: ByteOrder) -> Datatype {
        let precision = 8 * size as u16;
        let class = Class::Integer(Integer { order, signed, bit_offset: 0, precision });
        Datatype { size, class, committed: None }
    }

    fn of(size: u32, class: Class) -> String {
        short(&Datatype { size, class, committed: None })
    }

    #[test]
    fn as_numpy_writes_them() {
        assert_eq!(short(&integer(1, true, ByteOrder::Big)), "|i1");
        assert_eq!(short(&integer(8, false, ByteOrder::Big)), ">u8");
        let text = Class::text(StringPadding::NullTerminate, Charset::Utf8);
        assert_eq!(of(16, text), "str");
        let base = || Box::new(integer(4, true, ByteOrder::Little));
        assert_eq!(of(24, Class::Array { dims: vec![2, 3], base: base() }), "(2,3)<i4");
        assert_eq!(of(16, Class::VlenSequence { base: base() }), "vlen{<i4}");
        let members = vec![Member { name: "a".into(), offset: 0, datatype: *base() }];
        assert_eq!(of(4, Class::Compound { members }), "compound{a: <i4}");
    }
}
