"""HSDS: a domain whose datasets are read from an HDF5 file where it is.

    document = hyperslab.index("era5.nc", format="hsds", url="s3://bucket/era5.nc")
    hyperslab.hsds.load(document, "/home/user/era5.h5", endpoint="http://localhost:5101", user="user", password="...")
"""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

__all__ = ["load"]



def load(
    document: dict[str, Any], domain: str, *, endpoint: str, user: str | None = None, password: str | None = None, timeout: float = 60
) -> dict[str, str]:
    """Make a domain from a document of the format `hsds` of `hyperslab index`.

    Returns the identifications of the datasets, by path.

    Raises:
        urllib.error.HTTPError: the server refuses a request, for example because the domain exists already.
    """
    server = _Server(endpoint, domain, user, password, timeout)
    root = server.put("/", {})["root"]
    groups = {"": root}
    for group in document["groups"]:
        path = group["path"]
        if path:
            parent, _, name = path.rpartition("/")
            groups[path] = server.post("/groups", {"link": {"id": groups[parent], "name": name}})["id"]
        server.attributes(f"/groups/{groups[path]}", group["attributes"])
    found = {}
    for dataset in document["datasets"]:
        parent, _, name = dataset["path"].rpartition("/")
        body = dataset["body"] | {"link": {"id": groups[parent], "name": name}}
        if dataset["chunk_table"] is not None:
            body["creationProperties"]["layout"]["chunk_table"] = server.chunk_table(dataset["chunk_table"])
        identification = server.post("/datasets", body)["id"]
        if dataset["value"] is not None:
            server.send("PUT", f"/datasets/{identification}/value", base64.b64decode(dataset["value"]))
        server.attributes(f"/datasets/{identification}", dataset["attributes"])
        found[dataset["path"]] = identification
    return found


class _Server:
    """The requests about one domain."""

    def __init__(self, endpoint: str, domain: str, user: str | None, password: str | None, timeout: float) -> None:
        self.endpoint, self.domain, self.timeout = endpoint.rstrip("/"), domain, timeout
        self.headers = {"X-Hdf-domain": domain}
        if user is not None:
            pair = base64.b64encode(f"{user}:{password or ''}".encode()).decode()
            self.headers["Authorization"] = f"Basic {pair}"

    def send(self, method: str, path: str, body: bytes | dict[str, Any]) -> Any:
        kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        request = Request(f"{self.endpoint}{path}", data, self.headers | {"Content-Type": kind}, method=method)
        with urlopen(request, timeout=self.timeout) as response:
            text = response.read()
        return json.loads(text) if text else None

    def put(self, path: str, body: dict[str, Any]) -> Any:
        return self.send("PUT", path, body)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self.send("POST", path, body)

    def attributes(self, path: str, attributes: dict[str, Any]) -> None:
        for name, attribute in attributes.items():
            self.put(f"{path}/attributes/{quote(name, safe='')}", attribute)

    def chunk_table(self, table: dict[str, Any]) -> str:
        """Makes the dataset of offsets and sizes of many chunks."""
        fields = [{"name": "offset", "type": "H5T_STD_I64LE"}, {"name": "size", "type": "H5T_STD_I32LE"}]
        body = {"type": {"class": "H5T_COMPOUND", "fields": fields}, "shape": table["shape"]}
        identification: str = self.post("/datasets", body)["id"]
        rows = b"".join(offset.to_bytes(8, "little") + size.to_bytes(4, "little") for offset, size in table["rows"])
        self.send("PUT", f"/datasets/{identification}/value", rows)
        return identification
