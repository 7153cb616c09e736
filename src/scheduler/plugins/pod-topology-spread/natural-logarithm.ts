// The polynomial of FreeBSD's e_log.c in the order in which Go evaluates it (math.Log). Math.log may differ in the last
// bit, and scores are rounded from a multiple of it.
const ln2High = 0.6931471803691238
const ln2Low = 1.9082149292705877e-10
const l1 = 0.6666666666666735
const l2 = 0.3999999999940942
const l3 = 0.2857142874366239
const l4 = 0.22222198432149784
const l5 = 0.1818357216161805
const l6 = 0.15313837699209373
const l7 = 0.14798198605116586

/** The natural logarithm of a positive normal number, bit for bit as in Go. */
export function naturalLogarithm(x: number): number {
  let exponent = Math.floor(Math.log2(x)) + 1
  let fraction = x / 2 ** exponent
  if (fraction >= 1) {
    fraction /= 2
    exponent++
  }
  if (fraction < Math.SQRT2 / 2) {
    fraction *= 2
    exponent--
  }
  const f = fraction - 1
  const s = f / (2 + f)
  const s2 = s * s
  const s4 = s2 * s2
  const t1 = s2 * (l1 + s4 * (l3 + s4 * (l5 + s4 * l7)))
  const t2 = s4 * (l2 + s4 * (l4 + s4 * l6))
  const r = t1 + t2
  const half = 0.5 * f * f
  return exponent * ln2High - (half - (s * (half + r) + exponent * ln2Low) - f)
}
