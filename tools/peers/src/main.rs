// Reads paths from standard input, and writes one line of JSON for each: what the crate finds that is named by the only argument,
// `uesave` or `gvas`.
//
// With more arguments, it only reads one save, or writes it as JSON to standard output, for `tools/bench_peers.py`:
// `uesave|uesave-0.6.2|gvas read|json PATH KEY...`, where each KEY is the path of a map whose keys are property lists. `uesave from-json PATH`
// reads what it has written as JSON, and writes the save, to nowhere.
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};

type Counts = BTreeMap<String, u64>;

#[derive(Default)]
struct Found {
    types: Counts,
    names: Counts,
}
impl Found {
    fn add(&mut self, name: &str, kind: &str) {
        *self.names.entry(name.to_string()).or_default() += 1;
        *self.types.entry(kind.to_string()).or_default() += 1;
    }
}

mod ue {
    use super::Found;
    use uesave::*;
    pub fn read(data: &[u8]) -> Result<Found, String> {
        let save = SaveReader::new()
            .read(std::io::Cursor::new(data))
            .map_err(|e| format!("{e:?}"))?;
        let mut found = Found::default();
        props(&save.root.properties, &mut found);
        Ok(found)
    }
    fn props(p: &Properties, found: &mut Found) {
        for (key, value) in &p.0 {
            found.add(&key.1, kind(value));
            prop(value, found);
        }
    }
    fn kind(p: &Property) -> &'static str {
        match p {
            Property::Int8(_) => "Int8Property",
            Property::Int16(_) => "Int16Property",
            Property::Int(_) => "IntProperty",
            Property::Int64(_) => "Int64Property",
            Property::UInt8(_) => "UInt8Property",
            Property::UInt16(_) => "UInt16Property",
            Property::UInt32(_) => "UInt32Property",
            Property::UInt64(_) => "UInt64Property",
            Property::Float(_) => "FloatProperty",
            Property::Double(_) => "DoubleProperty",
            Property::Bool(_) => "BoolProperty",
            Property::Byte(_) => "ByteProperty",
            Property::Enum(_) => "EnumProperty",
            Property::Str(_) => "StrProperty",
            Property::FieldPath(_) => "FieldPathProperty",
            Property::SoftObject(_) => "SoftObjectProperty",
            Property::Name(_) => "NameProperty",
            Property::Object(_) => "ObjectProperty",
            Property::Text(_) => "TextProperty",
            Property::Delegate(_) => "DelegateProperty",
            Property::MulticastDelegate(_) => "MulticastDelegateProperty",
            Property::MulticastInlineDelegate(_) => "MulticastInlineDelegateProperty",
            Property::MulticastSparseDelegate(_) => "MulticastSparseDelegateProperty",
            Property::Set(_) => "SetProperty",
            Property::Map(_) => "MapProperty",
            Property::Struct(_) => "StructProperty",
            Property::Array(_) => "ArrayProperty",
            Property::Raw(_) => "Raw",
        }
    }
    fn prop(p: &Property, found: &mut Found) {
        match p {
            Property::Set(v) | Property::Array(v) => vec(v, found),
            Property::Map(entries) => {
                for e in entries {
                    prop(&e.key, found);
                    prop(&e.value, found);
                }
            }
            Property::Struct(s) => st(s, found),
            _ => {}
        }
    }
    fn vec(v: &ValueVec, found: &mut Found) {
        if let ValueVec::Struct(all) = v {
            for s in all {
                st(s, found)
            }
        }
    }
    fn st(s: &StructValue, found: &mut Found) {
        if let StructValue::Struct(p) = s {
            props(p, found)
        }
    }
}

mod gv {
    use super::Found;
    use gvas::game_version::GameVersion;
    use gvas::properties::array_property::ArrayProperty;
    use gvas::properties::map_property::MapProperty;
    use gvas::properties::struct_property::StructPropertyValue;
    use gvas::properties::Property;
    use gvas::GvasFile;
    pub fn read(data: &[u8]) -> Result<Found, String> {
        let game = if data.len() > 12 && &data[8..11] == b"PlZ" {
            GameVersion::Palworld
        } else {
            GameVersion::Default
        };
        let file = GvasFile::read(&mut std::io::Cursor::new(data), game).map_err(|e| e.to_string())?;
        let mut found = Found::default();
        for (name, p) in file.properties.0.iter() {
            found.add(name, &kind(p));
            prop(p, &mut found);
        }
        Ok(found)
    }
    fn kind(p: &Property) -> String {
        match p {
            Property::ArrayProperty(_) => "ArrayProperty".to_string(),
            Property::BoolProperty(_) => "BoolProperty".to_string(),
            Property::ByteProperty(_) => "ByteProperty".to_string(),
            Property::DoubleProperty(_) => "DoubleProperty".to_string(),
            Property::EnumProperty(_) => "EnumProperty".to_string(),
            Property::FloatProperty(_) => "FloatProperty".to_string(),
            Property::Int16Property(_) => "Int16Property".to_string(),
            Property::Int64Property(_) => "Int64Property".to_string(),
            Property::Int8Property(_) => "Int8Property".to_string(),
            Property::IntProperty(_) => "IntProperty".to_string(),
            Property::MapProperty(_) => "MapProperty".to_string(),
            Property::NameProperty(_) => "NameProperty".to_string(),
            Property::ObjectProperty(_) => "ObjectProperty".to_string(),
            Property::DelegateProperty(_) => "DelegateProperty".to_string(),
            Property::MulticastInlineDelegateProperty(_) => "MulticastInlineDelegateProperty".to_string(),
            Property::MulticastSparseDelegateProperty(_) => "MulticastSparseDelegateProperty".to_string(),
            Property::FieldPathProperty(_) => "FieldPathProperty".to_string(),
            Property::SetProperty(_) => "SetProperty".to_string(),
            Property::StrProperty(_) => "StrProperty".to_string(),
            Property::StructProperty(_) => "StructProperty".to_string(),
            Property::StructPropertyValue(_) => "StructPropertyValue".to_string(),
            Property::TextProperty(_) => "TextProperty".to_string(),
            Property::UInt16Property(_) => "UInt16Property".to_string(),
            Property::UInt32Property(_) => "UInt32Property".to_string(),
            Property::UInt64Property(_) => "UInt64Property".to_string(),
            Property::UnknownProperty(_) => "Unknown".to_string(),
        }
    }
    fn prop(p: &Property, found: &mut Found) {
        match p {
            Property::ArrayProperty(ArrayProperty::Structs { structs, .. }) => {
                for s in structs {
                    st(s, found)
                }
            }
            Property::ArrayProperty(ArrayProperty::Properties { properties, .. }) => {
                for p in properties {
                    prop(p, found)
                }
            }
            Property::SetProperty(s) => {
                for p in &s.properties {
                    prop(p, found)
                }
            }
            Property::MapProperty(m) => map(m, found),
            Property::StructProperty(s) => st(&s.value, found),
            Property::StructPropertyValue(s) => st(s, found),
            _ => {}
        }
    }
    fn map(m: &MapProperty, found: &mut Found) {
        match m {
            MapProperty::EnumProperty { enum_props, .. } => {
                for p in enum_props.0.values() {
                    prop(p, found)
                }
            }
            MapProperty::NameProperty { name_props, .. } => {
                for p in name_props.0.values() {
                    prop(p, found)
                }
            }
            MapProperty::StrProperty { str_props, .. } => {
                for p in str_props.0.values() {
                    prop(p, found)
                }
            }
            MapProperty::Properties { value, .. } => {
                for (k, v) in value.0.iter() {
                    prop(k, found);
                    prop(v, found)
                }
            }
            _ => {}
        }
    }
    fn st(s: &StructPropertyValue, found: &mut Found) {
        if let StructPropertyValue::CustomStruct(members) = s {
            for (name, values) in members.0.iter() {
                for v in values {
                    found.add(name, &kind(v));
                    prop(v, found);
                }
            }
        }
    }
}

mod whole {
    use std::io::{BufWriter, Cursor, Read};

    /// A save without Palworld's wrapper.
    fn inflated(path: &str) -> Vec<u8> {
        let mut data = std::fs::read(path).unwrap();
        if data.len() > 12 && &data[8..11] == b"PlZ" {
            let times = data[11] - 0x30;
            data.drain(..12);
            for _ in 0..times {
                let mut inner = Vec::new();
                flate2::read::ZlibDecoder::new(&data[..])
                    .read_to_end(&mut inner)
                    .unwrap();
                data = inner;
            }
        }
        data
    }

    pub fn run(reader: &str, task: &str, path: &str, keys: &[String]) {
        if task == "from-json" {
            // The only one that takes back what it has written.
            let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
            let save: uesave::Save = serde_json::from_reader(file).unwrap();
            return save.write(&mut std::io::sink()).unwrap();
        }
        let data = Cursor::new(inflated(path));
        let out = BufWriter::new(std::io::stdout());
        let as_json = task == "json";
        match reader {
            "uesave" => {
                let mut types = uesave::Types::new();
                for key in keys {
                    types.add(format!("{key}.Key"), "Struct".into());
                }
                let save = uesave::SaveReader::new().types(types).read(data).unwrap();
                if as_json {
                    serde_json::to_writer(out, &save).unwrap();
                }
            }
            "uesave-0.6.2" => {
                let mut types = uesave_062::Types::new();
                for key in keys {
                    types.add(format!(".{key}.Key"), "Struct".into());
                }
                let save = uesave_062::SaveReader::new().types(&types).read(data).unwrap();
                if as_json {
                    serde_json::to_writer(out, &save).unwrap();
                }
            }
            "gvas" if !as_json => {
                let mut data = data;
                gvas::GvasFile::read(&mut data, gvas::game_version::GameVersion::Default).unwrap();
            }
            _ => std::process::exit(3),
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [reader, task, path, keys @ ..] = &arguments[..] {
        return whole::run(reader, task, path, keys);
    }
    std::panic::set_hook(Box::new(|_| {}));
    let reader = std::env::args().nth(1).expect("which crate?");
    let out = io::stdout();
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        let data = std::fs::read(line).unwrap();
        let result = catch_unwind(AssertUnwindSafe(|| {
            if reader == "uesave" {
                ue::read(&data)
            } else {
                gv::read(&data)
            }
        }));
        let answer = match result {
            Ok(Ok(found)) => serde_json::json!({"ok": true, "types": found.types, "names": found.names}),
            Ok(Err(error)) => serde_json::json!({"ok": false, "error": error.chars().take(300).collect::<String>()}),
            Err(_) => serde_json::json!({"ok": false, "error": "panic"}),
        };
        let mut out = out.lock();
        writeln!(out, "{answer}").unwrap();
        out.flush().unwrap();
    }
}
