import type { WakeRule } from '../../framework/contract.ts'

export const interPodAffinityWake: readonly WakeRule[] = []
