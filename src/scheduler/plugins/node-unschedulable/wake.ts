import type { WakeRule } from '../../framework/contract.ts'

export const nodeUnschedulableWake: readonly WakeRule[] = []
