// A zip file of parts that are compressed already: nothing but the container.

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; ++bit) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});

export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

export interface ZipPart {
  name: string; // ASCII
  bytes: Uint8Array;
}

export function make_zip(parts: ZipPart[]): Blob {
  const local: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let offset = 0;
  for (const { name, bytes } of parts) {
    const encoded = new TextEncoder().encode(name);
    // Version 2.0, no flags, stored, 1 January 1980, the checksum and both sizes, no extra field.
    const shared = (view: DataView, at: number) => {
      view.setUint16(at, 20, true);
      view.setUint16(at + 8, 0x21, true);
      view.setUint32(at + 10, crc32(bytes), true);
      view.setUint32(at + 14, bytes.length, true);
      view.setUint32(at + 18, bytes.length, true);
      view.setUint16(at + 22, encoded.length, true);
    };
    const head = new DataView(new ArrayBuffer(30));
    head.setUint32(0, 0x04034b50, true);
    shared(head, 4);
    local.push(new Uint8Array(head.buffer), encoded, bytes);
    const entry = new DataView(new ArrayBuffer(46));
    entry.setUint32(0, 0x02014b50, true);
    entry.setUint16(4, 20, true);
    shared(entry, 6);
    entry.setUint32(42, offset, true);
    central.push(new Uint8Array(entry.buffer), encoded);
    offset += 30 + encoded.length + bytes.length;
  }
  const size = central.reduce((sum, part) => sum + part.length, 0);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, parts.length, true);
  end.setUint16(10, parts.length, true);
  end.setUint32(12, size, true);
  end.setUint32(16, offset, true);
  return new Blob([...local, ...central, new Uint8Array(end.buffer)], { type: 'application/zip' });
}
