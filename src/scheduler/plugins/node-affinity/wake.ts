import type { WakeRule } from '../../framework/contract.ts'

export function nodeAffinityWake(_args: unknown): readonly WakeRule[] {
  return []
}
