/* The files of a page: a zip archive in base64, whose members are stored or deflated. */

const END = 0x06054b50;
const MEMBER = 0x02014b50;

export function bytesOfBase64(text) {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* {name: () => Promise<Uint8Array>} of all members, by the directory at the end of the archive */
export function openArchive(bytes) {
  const members = new Map();
  if (bytes.length === 0) return members;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== END) end--;
  if (end < 0) throw new Error('the files of the page are damaged');
  let at = view.getUint32(end + 16, true);
  for (let count = view.getUint16(end + 10, true); count > 0; count--) {
    if (view.getUint32(at, true) !== MEMBER) throw new Error('the files of the page are damaged');
    const deflated = view.getUint16(at + 10, true) === 8;
    const size = view.getUint32(at + 20, true);
    const lengths = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const header = view.getUint32(at + 42, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + lengths[0]));
    const begin = header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
    const raw = bytes.subarray(begin, begin + size);
    members.set(name, async () => (deflated ? inflate(raw) : raw));
    at += 46 + lengths[0] + lengths[1] + lengths[2];
  }
  return members;
}

/* doubles, little-endian, as they were written; a copy, so that the bytes are aligned */
export async function readDoubles(members, name) {
  if (!members.has(name)) return undefined;
  const bytes = await members.get(name)();
  return new Float64Array(bytes.slice().buffer);
}
