import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { Shape } from '../../api/schema/shape.ts'
import type { Store } from '../../store/contract.ts'
import type { UpgradeFinding } from './upgrade-report.ts'

/** Objects whose apiVersion the new release does not serve, and fields that the new release does not have. */
export function removedFields(store: Store, from: KubernetesRelease, to: KubernetesRelease): readonly UpgradeFinding[] {
  const found = new Map<string, string[]>()
  const note = (what: string, object: string) => {
    const others = found.get(what)
    if (others === undefined) found.set(what, [object])
    else others.push(object)
  }
  for (const resource of store.resources()) {
    for (const object of store.list(resource)) {
      const { apiVersion = '', kind = '' } = object
      const slash = apiVersion.indexOf('/')
      const group = slash < 0 ? '' : apiVersion.slice(0, slash)
      const version = apiVersion.slice(slash + 1)
      const before = from.api.shapeOfKind(group, version, kind)
      if (before === undefined) continue
      const name = `${resource.split('.')[0]}/${keyOf(object)}`
      const after = to.api.shapeOfKind(group, version, kind)
      if (after === undefined) note(`${apiVersion} ${kind} is not served in v${to.version}`, name)
      else
        for (const path of missingIn(before, after, object))
          note(`${kind} has no field ${path} in v${to.version}`, name)
    }
  }
  return [...found].map(([what, objects]) => ({ kind: 'removed', what, objects }))
}

/** The paths of fields of the object that the first type has and the second type does not have. */
function missingIn(before: Shape, after: Shape, value: unknown, path = ''): readonly string[] {
  // Most types are the same in both releases.
  if (before === after || value === null || typeof value !== 'object') return []
  if (before.is === 'list' && after.is === 'list' && Array.isArray(value)) {
    return [...new Set(value.flatMap((item) => missingIn(before.of, after.of, item, `${path}[]`)))]
  }
  if (before.is === 'map' && after.is === 'map') {
    return [...new Set(Object.values(value).flatMap((item) => missingIn(before.of, after.of, item, `${path}[*]`)))]
  }
  if (before.is !== 'struct' || after.is !== 'struct') return []
  return Object.entries(value as KubeObject).flatMap(([name, field]) => {
    const known = before.fields.get(name)
    if (known === undefined) return []
    const at = path === '' ? name : `${path}.${name}`
    const next = after.fields.get(name)
    return next === undefined ? [at] : missingIn(known.shape, next.shape, field, at)
  })
}
