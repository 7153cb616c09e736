import { deepEqual } from '../../api/equality.ts'
import { encodeJson } from '../../base/exact-json.ts'
import { isMap, itemsOf, propertyOf, type Schema } from './schema.ts'

/**
 * A value and the value at the same place before an update. Unchanged values are not validated against a schema that
 * has become stricter (v1.36, apiserver/pkg/cel/common, CorrelatedObject).
 */
export class Correlation {
  readonly value: unknown
  readonly old: unknown
  private readonly schema: Schema | undefined
  private same: boolean | undefined
  private byKeys: Map<string, unknown> | undefined

  constructor(value: unknown, old: unknown, schema: Schema | undefined) {
    this.value = value
    this.old = old
    this.schema = schema
  }

  /** Whether it is unchanged. Lists with keys may have been reordered. */
  isSame(): boolean {
    this.same ??= this.compare()
    return this.same
  }

  private compare(): boolean {
    const { value, old } = this
    if (Array.isArray(value) && Array.isArray(old) && this.isKeyed()) {
      return value.length === old.length && value.every((_, i) => this.index(i)?.isSame() === true)
    }
    if (!isMap(value) || !isMap(old)) return deepEqual(value, old)
    const names = Object.keys(value)
    if (names.length !== Object.keys(old).length) return false
    return names.every((name) => {
      const child = this.key(name)
      return child === undefined ? Object.hasOwn(old, name) && deepEqual(value[name], old[name]) : child.isSame()
    })
  }

  private isKeyed(): boolean {
    return this.schema?.['x-kubernetes-list-type'] === 'map'
  }

  key(name: string): Correlation | undefined {
    const { value, old } = this
    if (!isMap(value) || !isMap(old) || !Object.hasOwn(value, name) || !Object.hasOwn(old, name)) return undefined
    const schema = propertyOf(this.schema, name)
    return schema === undefined ? undefined : new Correlation(value[name], old[name], schema)
  }

  index(i: number): Correlation | undefined {
    const { value, old } = this
    if (!Array.isArray(value) || !Array.isArray(old) || this.schema === undefined || !this.isKeyed()) return undefined
    const keys = this.schema['x-kubernetes-list-map-keys'] ?? []
    this.byKeys ??= new Map(old.map((one) => [identityOf(one, keys), one]))
    const before = this.byKeys.get(identityOf(value[i], keys))
    return before === undefined ? undefined : new Correlation(value[i], before, itemsOf(this.schema))
  }
}

/** The key of an element of a list with keys. */
export function identityOf(element: unknown, keys: readonly string[]): string {
  if (!isMap(element)) return encodeJson(element) ?? ''
  return encodeJson(keys.map((key) => (Object.hasOwn(element, key) ? element[key] : null)))
}
