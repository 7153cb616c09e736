import type { WakeRule } from '../../framework/contract.ts'

export const taintTolerationWake: readonly WakeRule[] = []
