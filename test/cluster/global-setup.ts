import { buildParts, missing } from './real-parts.ts'

/** Once for all files, which run beside each other. */
export function setup(): void {
  if (missing() === undefined) buildParts()
}
