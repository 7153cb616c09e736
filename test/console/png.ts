import { deflateSync, inflateSync } from 'node:zlib'

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])

interface Picture {
  readonly width: number
  readonly height: number
  /** Red, green and blue of every pixel. */
  readonly pixels: Uint8Array
}

/** The same picture in 256 colours or fewer: what is flat stays exact, and edges of letters lose what nobody sees. */
export function optimised(png: Buffer): Buffer {
  const picture = decoded(png)
  const { palette, indexes } = reduced(picture)
  const rows = Buffer.alloc(picture.height * (picture.width + 1))
  for (let y = 0; y < picture.height; y++)
    rows.set(indexes.subarray(y * picture.width, (y + 1) * picture.width), y * (picture.width + 1) + 1)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(picture.width, 0)
  header.writeUInt32BE(picture.height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function decoded(png: Buffer): Picture {
  let at = 8
  const parts: Buffer[] = []
  let header = Buffer.alloc(0)
  while (at < png.length) {
    const length = png.readUInt32BE(at)
    const type = png.toString('latin1', at + 4, at + 8)
    const data = png.subarray(at + 8, at + 8 + length)
    if (type === 'IHDR') header = Buffer.from(data)
    if (type === 'IDAT') parts.push(data)
    at += 12 + length
  }
  const width = header.readUInt32BE(0)
  const height = header.readUInt32BE(4)
  const channels = header[9] === 6 ? 4 : 3
  return { width, height, pixels: unfiltered(inflateSync(Buffer.concat(parts)), width, height, channels) }
}

function unfiltered(data: Buffer, width: number, height: number, channels: number): Uint8Array {
  const line = width * channels
  const bytes = new Uint8Array(line * height)
  for (let y = 0; y < height; y++) {
    const filter = data[y * (line + 1)] as number
    for (let x = 0; x < line; x++) {
      const raw = data[y * (line + 1) + 1 + x] as number
      const left = x < channels ? 0 : (bytes[y * line + x - channels] as number)
      const up = y === 0 ? 0 : (bytes[(y - 1) * line + x] as number)
      const corner = x < channels || y === 0 ? 0 : (bytes[(y - 1) * line + x - channels] as number)
      bytes[y * line + x] = raw + predicted(filter, left, up, corner)
    }
  }
  if (channels === 3) return bytes
  return bytes.filter((_, at) => at % 4 !== 3)
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  if (filter !== 4) return 0
  const guess = left + up - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  if (a <= b && a <= c) return left
  return b <= c ? up : corner
}

type Colour = readonly [number, number, number]

/** The most frequent colours are kept; every other becomes the nearest of them. */
function reduced({ pixels }: Picture): { readonly palette: readonly Colour[]; readonly indexes: Uint8Array } {
  const counts = new Map<number, number>()
  const codes = new Uint32Array(pixels.length / 3)
  for (let at = 0; at < codes.length; at++) {
    const code =
      ((pixels[at * 3] as number) << 16) | ((pixels[at * 3 + 1] as number) << 8) | (pixels[at * 3 + 2] as number)
    codes[at] = code
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  const common = [...counts].sort((a, b) => b[1] - a[1]).map(([code]) => code)
  // Colours that are close to one kept already do not take a place from a rare hue.
  const kept: number[] = []
  for (const near of [0, 60, 12, 0]) {
    for (const code of common) {
      if (kept.length >= (near === 0 && kept.length < 64 ? 64 : 256)) break
      if (!kept.includes(code) && (near === 0 || kept.every((other) => distance(code, other) > near))) kept.push(code)
    }
  }
  const nearest = new Map<number, number>(kept.map((code, at) => [code, at]))
  const indexes = new Uint8Array(codes.length)
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] as number
    let index = nearest.get(code)
    if (index === undefined) {
      index = 0
      for (let one = 1; one < kept.length; one++)
        if (distance(code, kept[one] as number) < distance(code, kept[index] as number)) index = one
      nearest.set(code, index)
    }
    indexes[at] = index
  }
  return { palette: kept.map((code) => [code >> 16, (code >> 8) & 255, code & 255]), indexes }
}

function distance(a: number, b: number): number {
  const red = (a >> 16) - (b >> 16)
  const green = ((a >> 8) & 255) - ((b >> 8) & 255)
  const blue = (a & 255) - (b & 255)
  return red * red + green * green + blue * blue
}

function chunk(type: string, data: Buffer): Buffer {
  const whole = Buffer.alloc(12 + data.length)
  whole.writeUInt32BE(data.length, 0)
  whole.write(type, 4, 'latin1')
  data.copy(whole, 8)
  whole.writeUInt32BE(crc(whole.subarray(4, 8 + data.length)), 8 + data.length)
  return whole
}

function crc(data: Uint8Array): number {
  let value = 0xffffffff
  for (const byte of data) {
    value ^= byte
    for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0)
  }
  return (value ^ 0xffffffff) >>> 0
}
