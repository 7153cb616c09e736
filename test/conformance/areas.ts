import { run as cidrset } from './cidrset.ts'
import { run as clusterAutoscaler } from './cluster-autoscaler.ts'
import { run as defaulting } from './default.ts'
import { run as dra } from './dra.ts'
import { run as hints } from './hints.ts'
import { run as quantity } from './quantity.ts'
import { run as schedule } from './schedule.ts'
import { run as selector } from './selector.ts'
import { run as smp } from './smp.ts'
import { run as table } from './table.ts'
import { run as templateHash } from './template-hash.ts'
import { run as tolerations } from './tolerations.ts'
import { run as validate } from './validate.ts'
import type { AreaRunner } from './verdict.ts'

/** Golden file (without its extension) → the function that answers it. Files without an entry are reported as not implemented. */
export const areas: Readonly<Record<string, AreaRunner>> = {
  cidrset,
  'cluster-autoscaler': clusterAutoscaler,
  'cluster-autoscaler-devices': clusterAutoscaler,
  hints,
  default: defaulting,
  dra,
  quantity,
  schedule,
  selector,
  smp,
  table,
  'template-hash': templateHash,
  tolerations,
  validate,
}
