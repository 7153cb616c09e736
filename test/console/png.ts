import { deflateSync, inflateSync } from 'node:zlib'

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])

interface Picture {
  readonly width: number
  readonly height: number
  /** Red, green and blue of every pixel. */
  readonly pixels: Uint8Array
}

/** The same picture in fewer bytes, without the transparency that a screenshot has none of. Nothing is lost. */
export function optimized(png: Buffer): Buffer {
  const { width, height, pixels } = decoded(png)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(filtered(pixels, width, height), { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Each row with the filter that gives the smallest result: flat areas become zeros. */
function filtered(pixels: Uint8Array, width: number, height: number): Buffer {
  const line = width * 3
  const out = Buffer.alloc(height * (line + 1))
  const trial = new Uint8Array(line)
  for (let y = 0; y < height; y++) {
    let least = Number.POSITIVE_INFINITY
    for (const filter of [0, 1, 2, 4]) {
      let sum = 0
      for (let x = 0; x < line; x++) {
        const left = x < 3 ? 0 : (pixels[y * line + x - 3] as number)
        const up = y === 0 ? 0 : (pixels[(y - 1) * line + x] as number)
        const corner = x < 3 || y === 0 ? 0 : (pixels[(y - 1) * line + x - 3] as number)
        const value = ((pixels[y * line + x] as number) - predicted(filter, left, up, corner)) & 255
        trial[x] = value
        sum += value < 128 ? value : 256 - value
      }
      if (sum >= least) continue
      least = sum
      out[y * (line + 1)] = filter
      out.set(trial, y * (line + 1) + 1)
    }
  }
  return out
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
