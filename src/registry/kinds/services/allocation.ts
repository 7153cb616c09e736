import type { Failure } from '../../../api/call.ts'
import type { Service } from '../../../api/objects/cluster.ts'
import { isFailure } from '../../errors/is-failure.ts'
import type { WriteContext } from '../kind.ts'
import { serviceRanges } from './address-ranges.ts'
import { withClusterIps } from './cluster-ips.ts'
import { withFamilies } from './families.ts'
import { withNodePorts } from './node-ports.ts'
import { refuse } from './service-spec.ts'

/**
 * The service with its families, addresses and ports, or why they cannot be allocated. Runs before validation (v1.36,
 * registry/core/service/storage, Allocators).
 */
export function withAddresses(service: Service, before: Service | undefined, context: WriteContext): Service | Failure {
  const ranges = serviceRanges(context)
  const settled = withFamilies(service.spec ?? {}, before?.spec, ranges.families, context)
  if (settled.kind === 'refused') return refuse(service, settled.errors)
  const addressed = withClusterIps({ ...service, spec: settled.spec }, before, ranges, context)
  return isFailure(addressed) ? addressed : withNodePorts(addressed, before, context)
}
