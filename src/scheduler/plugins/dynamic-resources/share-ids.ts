import type { AllocationResult, ResourceClaim } from '../../../api/objects/devices.ts'

/**
 * Gives each share of a device an id. Upstream draws random UUIDs; these are derived from the claim, so that a run can
 * be repeated, and are as unique as the uid of the claim.
 */
export function withShareIds(allocation: AllocationResult, { metadata }: ResourceClaim): AllocationResult {
  const results = allocation.devices?.results ?? []
  if (!results.some(({ shareID }) => shareID !== undefined)) return allocation
  return {
    ...allocation,
    devices: {
      ...allocation.devices,
      results: results.map((result, i) =>
        result.shareID === undefined
          ? result
          : {
              ...result,
              shareID: uuidOf(`${metadata.uid ?? ''}/${i}/${result.driver}/${result.pool}/${result.device}`),
            },
      ),
    },
  }
}

/** Derives a UUID from a text. */
function uuidOf(text: string): string {
  const digits = [0x811c9dc5, 0x01234567, 0x9e3779b9, 0x85ebca6b].map((seed) => hash(text, seed)).join('')
  const variant = ((Number.parseInt(digits.slice(16, 17), 16) & 3) | 8).toString(16)
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20),
  ].join('-')
}

/** FNV-1a with a final mix, as eight hexadecimal digits. */
function hash(text: string, seed: number): string {
  let value = seed
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return ((value ^ (value >>> 16)) >>> 0).toString(16).padStart(8, '0')
}
