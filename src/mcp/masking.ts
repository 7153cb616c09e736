import type { JsonObject, KubeObject } from '../api/objects/meta.ts'

const masked = '<masked>'

/**
 * The object without data that must not be sent to a model. A dump may contain it, but a forecast does not need it: values of
 * Secrets and ConfigMaps, environment variables, commands and arguments, and the copy of all of these in an annotation.
 */
export function maskedObject(object: KubeObject): KubeObject {
  const { metadata } = object
  const { managedFields: _, annotations, ...rest } = metadata as KubeObject['metadata'] & { managedFields?: unknown }
  const kept = Object.entries(annotations ?? {}).filter(([name]) => name !== lastApplied)
  const shown = {
    ...(maskedValue(object) as object),
    metadata: { ...rest, ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }) },
  }
  const isStore = (object.kind === 'Secret' || object.kind === 'ConfigMap') && object.apiVersion === 'v1'
  return (isStore ? withoutValues(shown as unknown as JsonObject) : shown) as unknown as KubeObject
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

const valueFields: ReadonlySet<string> = new Set(['data', 'stringData', 'binaryData'])

function withoutValues(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, member]) => [
      name,
      valueFields.has(name)
        ? Object.fromEntries(Object.keys((member ?? {}) as object).map((key) => [key, masked]))
        : member,
    ]),
  )
}

const containerLists: ReadonlySet<string> = new Set(['containers', 'initContainers', 'ephemeralContainers'])

function maskedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskedValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      containerLists.has(name) && Array.isArray(member) ? member.map(maskedContainer) : maskedValue(member),
    ]),
  )
}

function maskedContainer(container: unknown): unknown {
  if (typeof container !== 'object' || container === null) return container
  const { command, args, env, ...rest } = container as {
    readonly command?: unknown
    readonly args?: unknown
    readonly env?: readonly { readonly name: string; readonly value?: string }[]
  }
  return {
    ...(maskedValue(rest) as object),
    ...(command === undefined ? {} : { command: [masked] }),
    ...(args === undefined ? {} : { args: [masked] }),
    ...(Array.isArray(env)
      ? { env: env.map((one) => (one?.value === undefined ? one : { ...one, value: masked })) }
      : {}),
  }
}
