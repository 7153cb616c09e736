import type { WakeRule } from '../../framework/contract.ts'

export const balancedAllocationWake: readonly WakeRule[] = []
