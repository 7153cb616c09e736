import type { WakeRule } from '../../framework/contract.ts'

export const schedulingGatesWake: readonly WakeRule[] = []
