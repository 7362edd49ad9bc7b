// Reads paths from standard input, and writes one line of JSON for each: what @etothepii/satisfactory-file-parser finds.
// The first argument is the folder that node_modules is in. With two more, `read`, `json` or `rewrite` and a path, it only reads that
// save, writes it as JSON to standard output, or as a save again, for `tools/bench_peers.py`.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import readline from "node:readline";

const { Parser } = createRequire(path.resolve(process.argv[2]) + path.sep)("@etothepii/satisfactory-file-parser");
for (const name of ["log", "info", "warn", "error"]) console[name] = () => {};

function add(counts, name) {
  counts[name] = (counts[name] ?? 0) + 1;
}

// Property lists are the members that are called "properties", at any depth.
function walk(value, found) {
  if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === "properties" && member !== null && typeof member === "object" && !Array.isArray(member)) {
      for (const [name, one] of Object.entries(member)) {
        for (const property of Array.isArray(one) ? one : [one]) {
          add(found.names, name);
          add(found.types, property.ueType ?? property.type);
        }
      }
    }
    walk(member, found);
  }
}

function parse(file) {
  const bytes = fs.readFileSync(file);
  return Parser.ParseSave("save", bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

function read(file) {
  const save = parse(file);
  const found = { ok: true, types: {}, names: {}, classes: {} };
  for (const level of Array.isArray(save.levels) ? save.levels : Object.values(save.levels)) {
    for (const one of level.objects) {
      add(found.classes, one.typePath);
      for (const kind of one.specialProperties?.buildables ?? []) {
        for (const _ of kind.instances ?? []) add(found.classes, kind.typePath); // foundations that are no objects of their own
      }
      walk({ properties: one.properties }, found);
    }
  }
  return found;
}

const [task, whole] = process.argv.slice(3);
if (whole) {
  const save = parse(whole);
  if (task === "rewrite") {
    const write = (bytes) => fs.writeSync(1, bytes);
    Parser.WriteSave(save, write, write);
    process.exit(0);
  }
  const { levels, ...rest } = save;
  if (task === "json") {
    const plain = (_, value) => (typeof value === "bigint" ? value.toString() : value);
    for (const part of [rest, ...Object.values(levels)]) fs.writeSync(1, JSON.stringify(part, plain));
  }
  process.exit(0);
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = read(line);
  } catch (error) {
    answer = { ok: false, error: String(error.message ?? error).slice(0, 300) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
