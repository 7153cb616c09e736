import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { invalid } from '../errors/field-error.ts'
import { metaOf } from './meta.ts'
import type { Errors, Obj } from './reader.ts'
import { text } from './scalars.ts'

const suffix = '.static.k8s.io'

/** Names of registrations for admission that come from manifests of the API server. */
export const isStaticName = (name: string): boolean => name.endsWith(suffix)
export const staticNameProblem = `names ending with ${JSON.stringify(suffix)} are reserved for static manifest-based configurations and cannot be managed via the API`
export const refusesStaticNames = ({ gates }: KubernetesRelease): boolean =>
  gates.has('ManifestBasedAdmissionControlConfig')

/** The check of a new registration, and of its name (ValidateStaticSuffix). */
export const withoutStaticName =
  (check: (errors: Errors, object: Obj) => void) =>
  (errors: Errors, object: Obj): void => {
    check(errors, object)
    const name = text(metaOf(object), 'name')
    if (refusesStaticNames(errors.release) && isStaticName(name)) {
      errors.push(invalid('metadata.name', name, staticNameProblem))
    }
  }
