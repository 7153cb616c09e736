import type { WakeRule } from '../../framework/contract.ts'

export const nodeDeclaredFeaturesWake: readonly WakeRule[] = []
