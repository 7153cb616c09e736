import type { KubeObject } from '../../api/objects/meta.ts'
import type { Store } from '../../store/contract.ts'
import { part } from '../validation/reader.ts'
import { textIfSet } from '../validation/scalars.ts'

const resource = 'ingressclasses.networking.k8s.io'
const isDefaultClass = 'ingressclass.kubernetes.io/is-default-class'
const classAnnotation = 'kubernetes.io/ingress.class'

/** An ingress that names no class gets the newest default class; of equally new ones, the first by name (DefaultIngressClass). */
export function withIngressClass(store: Store, ingress: KubeObject): KubeObject {
  if (store.count(resource) === 0) return ingress
  const spec = part(ingress as unknown as Readonly<Record<string, unknown>>, 'spec')
  if (textIfSet(spec, 'ingressClassName') !== undefined) return ingress
  if (ingress.metadata.annotations?.[classAnnotation] !== undefined) return ingress
  const age = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? ''
  const [newest] = store
    .list(resource)
    .filter(({ metadata }) => metadata.annotations?.[isDefaultClass] === 'true')
    .toSorted((a, b) => {
      if (age(a) !== age(b)) return age(a) < age(b) ? 1 : -1
      return a.metadata.name < b.metadata.name ? -1 : 1
    })
  if (newest === undefined) return ingress
  return { ...ingress, spec: { ...spec, ingressClassName: newest.metadata.name } } as KubeObject
}
