/**
 * unscaled · 10^scale, exactly. Upstream keeps most amounts in an int64 and uses arbitrary precision when that
 * overflows; `kind` records which form upstream would use, because their conversions to int64 round and overflow
 * differently.
 */
export interface Amount {
  readonly unscaled: bigint
  readonly scale: number
  readonly kind: 'int64' | 'decimal'
}

export const int64Max = 2n ** 63n - 1n
const int64Min = -(2n ** 63n)

const powers: bigint[] = [1n]

export function powerOf10(exponent: number): bigint {
  if (exponent > 400) return 10n ** BigInt(exponent)
  for (let i = powers.length; i <= exponent; i++) powers.push((powers[i - 1] as bigint) * 10n)
  return powers[exponent] as bigint
}

function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value
}

export function negateAmount(amount: Amount): Amount {
  return { unscaled: -amount.unscaled, scale: amount.scale, kind: amount.kind }
}

export function addAmounts(a: Amount, b: Amount): Amount {
  if (a.kind === 'int64' && b.kind === 'int64') {
    if (b.unscaled === 0n) return a
    if (a.unscaled === 0n) return b
  }
  const scale = Math.min(a.scale, b.scale)
  const left = unscaledAt(a, scale)
  const right = unscaledAt(b, scale)
  const sum = left + right
  const small =
    a.kind === 'int64' &&
    b.kind === 'int64' &&
    isInt64(sum) &&
    (a.scale === b.scale || (isInt64(left) && isInt64(right)))
  return { unscaled: sum, scale, kind: small ? 'int64' : 'decimal' }
}

export function compareAmounts(a: Amount, b: Amount): number {
  if (a.scale !== b.scale && a.unscaled !== 0n && b.unscaled !== 0n && a.unscaled > 0n === b.unscaled > 0n) {
    const scale = Math.min(a.scale, b.scale)
    return order(unscaledAt(a, scale), unscaledAt(b, scale))
  }
  return order(a.unscaled, b.unscaled)
}

function order(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The unscaled value at a scale that is not larger than the scale of the amount. */
function unscaledAt(amount: Amount, scale: number): bigint {
  return amount.scale === scale ? amount.unscaled : amount.unscaled * powerOf10(amount.scale - scale)
}

/** The unscaled value at any scale; smaller digits are rounded away from zero. */
export function roundAwayFromZero(amount: Amount, scale: number): bigint {
  if (amount.scale >= scale) return unscaledAt(amount, scale)
  const divisor = powerOf10(scale - amount.scale)
  const quotient = amount.unscaled / divisor
  if (amount.unscaled % divisor === 0n) return quotient
  return amount.unscaled > 0n ? quotient + 1n : quotient - 1n
}

/** Quantity.ScaledValue of v1.36, including its overflow. */
export function amountToInt64(amount: Amount, scale: number): bigint {
  if (amount.unscaled === 0n) return 0n
  return amount.kind === 'int64' ? int64At(amount, scale) : decimalAt(amount, scale)
}

// Upstream multiplies by these powers in one step and returns the wrapped product; it multiplies by ten repeatedly for
// other powers, and the first overflow gives 0 (resource.positiveScaleInt64).
const oneStepPowers = new Set([0, 1, 2, 3, 6, 9])

function int64At(amount: Amount, scale: number): bigint {
  const shift = amount.scale - scale
  if (shift < 0) return roundAwayFromZero(amount, scale)
  // Twenty multiplications by ten overflow every int64 except 0.
  if (shift > 19) return 0n
  const product = amount.unscaled * powerOf10(shift)
  if (isInt64(product)) return product
  return oneStepPowers.has(shift) ? BigInt.asIntN(64, product) : 0n
}

function decimalAt(amount: Amount, scale: number): bigint {
  const shift = amount.scale - scale
  if (shift === 0) return BigInt.asIntN(64, amount.unscaled)
  if (shift > 0) {
    // A power that is not an int64 converts to the lowest int64 on amd64.
    const factor = shift > 18 ? int64Min : powerOf10(shift)
    return BigInt.asIntN(64, BigInt.asIntN(64, amount.unscaled) * factor)
  }
  const divisor = powerOf10(-shift)
  if (amount.unscaled < int64Max && -shift < 19) {
    // Negative amounts of any size pass this test and are truncated to 64 bits; they also round toward zero and then
    // up.
    const cut = BigInt.asIntN(64, amount.unscaled)
    return cut % divisor === 0n ? cut / divisor : cut / divisor + 1n
  }
  const remainder = amount.unscaled % divisor
  const floor = remainder < 0n ? amount.unscaled / divisor - 1n : amount.unscaled / divisor
  return BigInt.asIntN(64, remainder === 0n ? floor : floor + 1n)
}

const zero = 48

/** The mantissa, with the largest exponent that is a multiple of three and keeps it an integer. */
export function canonicalDecimal(amount: Amount): { readonly digits: string; readonly exponent: number } {
  if (amount.unscaled === 0n) return { digits: '0', exponent: 0 }
  const digits = amount.unscaled.toString()
  let end = digits.length
  while (end > 1 && digits.charCodeAt(end - 1) === zero) end--
  const scale = amount.scale + digits.length - end
  // A multiple of three, also for negative exponents.
  const more = ((scale % 3) + 3) % 3
  return { digits: digits.slice(0, end) + '0'.repeat(more), exponent: scale - more }
}

/** The integer amount (fractions rounded away from zero) with factors of 1024 removed. */
export function canonicalBinary(amount: Amount): { readonly digits: string; readonly power: number } {
  let value = roundAwayFromZero(amount, 0)
  let power = 0
  while (value !== 0n && (value & 1023n) === 0n) {
    value /= 1024n
    power++
  }
  return { digits: value.toString(), power }
}
