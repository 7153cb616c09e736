import type { WakeRule } from '../../framework/contract.ts'

export const nodeNameWake: readonly WakeRule[] = []
