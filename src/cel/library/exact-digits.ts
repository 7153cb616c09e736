/** A number as decimal digits, `scale` of which are after the point. */
export interface Decimal {
  readonly digits: string
  readonly scale: number
}

/** All decimal digits of a non-negative double: a double is an integer times a power of two. */
export function exactDigits(value: number): Decimal {
  const bytes = new DataView(new ArrayBuffer(8))
  bytes.setFloat64(0, value)
  const bits = bytes.getBigUint64(0)
  const field = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xfffffffffffffn
  const mantissa = field === 0 ? fraction : fraction | (1n << 52n)
  const power = (field === 0 ? 1 : field) - 1075
  if (mantissa === 0n) return { digits: '0', scale: 0 }
  if (power >= 0) return { digits: (mantissa << BigInt(power)).toString(), scale: 0 }
  // Dividing by two is multiplying by five with one more digit after the point.
  const digits = (mantissa * 5n ** BigInt(-power)).toString()
  const zeros = Math.min(/0*$/.exec(digits)?.[0].length ?? 0, -power)
  return { digits: digits.slice(0, digits.length - zeros), scale: -power - zeros }
}

/** Rounds to exactly `places` digits after the point; a half rounds to the even digit, as in Go. */
export function roundedTo({ digits, scale }: Decimal, places: number): Decimal {
  if (scale <= places) return { digits: digits + '0'.repeat(places - scale), scale: places }
  const unit = 10n ** BigInt(scale - places)
  const whole = BigInt(digits) / unit
  const rest = (BigInt(digits) % unit) * 2n
  const isUp = rest > unit || (rest === unit && whole % 2n === 1n)
  return { digits: String(isUp ? whole + 1n : whole), scale: places }
}
