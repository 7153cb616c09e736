import type { WakeRule } from '../../framework/contract.ts'

export function podTopologySpreadWake(_args: unknown): readonly WakeRule[] {
  return []
}
