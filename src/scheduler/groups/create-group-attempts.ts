import { FeasibleGroupAttempts } from './feasible-group-attempts.ts'
import type { GroupAttempts, GroupSetting } from './group-attempts.ts'
import { PermitGroupAttempts } from './permit-group-attempts.ts'

/** The cycle of pod groups of the release. */
export function createGroupAttempts(setting: GroupSetting): GroupAttempts {
  const { minor } = setting.context.release
  return minor === '1.36' ? new PermitGroupAttempts(setting) : new FeasibleGroupAttempts(setting)
}
