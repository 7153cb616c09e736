import type { KubernetesRelease } from '../../src/api/releases/kubernetes-release.ts'

/** The module files of a release, in test/cluster, and the flags of `go` there: `go.mod` is v1.36, the others are in `vectors`. */
export function moduleFiles({ minor }: KubernetesRelease): {
  readonly mod: string
  readonly sum: string
  readonly flags: readonly string[]
} {
  if (minor === '1.36') return { mod: 'go.mod', sum: 'go.sum', flags: [] }
  const mod = `vectors/v${minor}.mod`
  return { mod, sum: `vectors/v${minor}.sum`, flags: [`-modfile=${mod}`] }
}
