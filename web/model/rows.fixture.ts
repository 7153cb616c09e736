import type { NodeRow, PodRow, PodStateCode, Transition } from '../../src/wire/console-wire.ts'

export const nodeRow = (
  name: string,
  more: { zone?: string; taints?: readonly string[]; labels?: number; health?: NodeRow[5] } = {},
): NodeRow => [
  name,
  more.zone ?? 'a',
  4_000,
  8 * 1024 ** 3,
  110,
  more.health ?? 0,
  0,
  more.taints ?? [],
  more.labels ?? 0,
  0,
  '',
]

export const podRow = (
  key: string,
  more: { node?: string; state?: PodStateCode; cpuMilli?: number; labels?: number; nominated?: string } = {},
): PodRow => [
  key,
  more.node ?? '',
  more.state ?? (more.node === undefined ? 0 : 3),
  more.cpuMilli ?? 500,
  1024 ** 3,
  0,
  0,
  more.labels ?? 0,
  '',
  more.nominated ?? '',
  0,
]

export const podTransition = (at: number, before: PodRow | null, after: PodRow | null): Transition => [
  0,
  at,
  'p',
  (after ?? before)?.[0] ?? '',
  before,
  after,
]
