import type { WakeRule } from '../../framework/contract.ts'

export const nodePortsWake: readonly WakeRule[] = []
