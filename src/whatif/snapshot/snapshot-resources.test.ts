import { describe, expect, it } from 'vitest'
import { releaseOf } from '../../api/releases/release-of.ts'
import { must } from '../../base/result.ts'
import { builtinKindsOf } from '../../registry/kinds/kinds.ts'
import { dumpCommand, snapshotResources } from './snapshot-resources.ts'

describe('dump command', () => {
  const words = dumpCommand.replace('kubectl get ', '').split(' ')[0]?.split(',') ?? []

  it.each(['1.34', '1.35', '1.36', '1.37'])('kubectl v%s knows every kind of the dump command', (version) => {
    const kinds = builtinKindsOf(must(releaseOf(version)))
    const names = new Set(kinds.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames]))
    expect(words.filter((word) => !names.has(word))).toEqual([])
  })

  it('the dump command has every resource of a snapshot that all releases serve by default', () => {
    const kinds = builtinKindsOf(must(releaseOf('1.34')))
    const dumped = new Set(
      words.flatMap((word) =>
        kinds
          .filter(({ plural, singular, shortNames }) => [plural, singular, ...shortNames].includes(word))
          .map(({ resource }) => resource),
      ),
    )
    const read = snapshotResources.filter(({ apiVersion, names }) => apiVersion === undefined && names === undefined)
    expect(read.map(({ resource }) => resource).filter((resource) => !dumped.has(resource))).toEqual([])
  })
})
