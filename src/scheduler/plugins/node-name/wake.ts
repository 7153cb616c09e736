import type { WakeRule } from '../../framework/contract.ts'
import { ActionType } from '../../framework/contract.ts'

export const nodeNameWake: readonly WakeRule[] = [{ on: { resource: 'Node', action: ActionType.Add } }]
