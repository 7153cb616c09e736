import { defaultRelease } from '../releases/release-of.ts'
import type { StructShape } from './shape.ts'
import type { TypeTable } from './type-table.ts'

/** Every type of every built-in kind, by `package.Name`. */
export const types: TypeTable = defaultRelease.api.types

/** The shape of a built-in kind. */
export function shapeOfKind(group: string, kind: string, version = 'v1'): StructShape | undefined {
  return defaultRelease.api.shapeOfKind(group, version, kind)
}

/** `io.k8s.api.core.v1.Pod` for `core.Pod`. */
export function openApiName(shape: StructShape): string {
  return defaultRelease.api.openApiName(shape)
}
