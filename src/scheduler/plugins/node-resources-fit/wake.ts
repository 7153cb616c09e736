import type { WakeRule } from '../../framework/contract.ts'

export function nodeResourcesFitWake(_args: unknown): readonly WakeRule[] {
  return []
}
