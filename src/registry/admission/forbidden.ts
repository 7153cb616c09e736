import type { Failure } from '../../api/call.ts'
import { failure } from '../../api/status.ts'
import type { Kind } from '../kinds/kind.ts'

/** `pods "web" is forbidden: …`, the form in which every admission plugin rejects a request. */
export function refuse(kind: Kind, given: string, why: string): Failure {
  const name = given === '' ? 'Unknown' : given
  return failure('Forbidden', `${kind.resource} ${JSON.stringify(name)} is forbidden: ${why}`, {
    name,
    ...(kind.group === '' ? {} : { group: kind.group }),
    kind: kind.plural,
  })
}
