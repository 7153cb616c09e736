import type { WakeRule } from '../../framework/contract.ts'

export const defaultPreemptionWake: readonly WakeRule[] = []
