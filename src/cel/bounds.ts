/** Minimum and maximum. Sums and products are limited to 64 bits. */
export interface SizeBounds {
  readonly min: number
  readonly max: number
}

export const most = 2 ** 64
export const capped = (value: number): number => Math.min(value, most)
export const fixed = (value: number): SizeBounds => ({ min: value, max: value })
export const unknown: SizeBounds = { min: 0, max: most }
export const one = fixed(1)
export const nothing = fixed(0)
export const sum = (a: SizeBounds, b: SizeBounds): SizeBounds => ({
  min: capped(a.min + b.min),
  max: capped(a.max + b.max),
})
export const product = (a: SizeBounds, b: SizeBounds): SizeBounds => ({
  min: times(a.min, b.min),
  max: times(a.max, b.max),
})
const times = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : capped(a * b))
export const scaled = (a: SizeBounds, factor: number): SizeBounds => ({
  min: capped(Math.ceil(a.min * factor)),
  max: capped(Math.ceil(a.max * factor)),
})
export const union = (a: SizeBounds, b: SizeBounds): SizeBounds => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
})
