import type { WakeRule } from '../../contract/contract.ts'
import { ActionType } from '../../contract/contract.ts'

export const nodeNameWake: readonly WakeRule[] = [{ on: { resource: 'Node', action: ActionType.Add } }]
