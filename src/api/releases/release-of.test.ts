import { describe, expect, it } from 'vitest'
import { sourcesUnder } from '../../../test/tidy/project.ts'
import { must } from '../../base/result.ts'
import { parseFeatureGates } from './feature-gates.ts'
import { knownMinors, releaseOf, withFeatureGates } from './release-of.ts'

const release = (version: string) => must(releaseOf(version))

function set(version: string, text: string) {
  const parsed = parseFeatureGates(text)
  return parsed.ok ? withFeatureGates(release(version), parsed.value) : parsed
}

describe('releaseOf', () => {
  it.each([
    ['1.34', '1.34.11'],
    ['v1.35', '1.35.8'],
    ['1.36.2', '1.36.2'],
    ['v1.37.1', '1.37.1'],
  ])('finds for version %s the release %s', (text, version) => {
    expect(release(text).version).toBe(version)
  })

  it.each(['1.33', '1.38', '1.36.99', '2.0', 'latest', '', '1.36.4.1', 'constructor'])(
    'lists the known versions in the error for %j',
    (text) => {
      expect(releaseOf(text)).toEqual({
        ok: false,
        message: `Kubernetes version ${JSON.stringify(text)} is not known; known versions: 1.34 (up to 1.34.11), 1.35 (up to 1.35.8), 1.36 (up to 1.36.4), 1.37 (up to 1.37.1)`,
      })
    },
  )

  it('has the gate defaults of the patch release', () => {
    const on = (version: string, gate: string) => release(version).gates.has(gate)
    const versions = ['1.34.11', '1.35.0', '1.35.3', '1.35.4', '1.35.8', '1.36.4', '1.37.1']
    expect(versions.filter((version) => on(version, 'MaxUnavailableStatefulSet'))).toEqual([
      '1.35.0',
      '1.35.3',
      '1.37.1',
    ])
    expect(on('1.34.1', 'SchedulerAsyncAPICalls')).toBe(true)
    expect(on('1.34.2', 'SchedulerAsyncAPICalls')).toBe(false)
    expect(on('1.35.0', 'SchedulerAsyncAPICalls')).toBe(true)
    expect(on('1.35.1', 'SchedulerAsyncAPICalls')).toBe(false)
    expect(release('1.34.1').featureGates['StatefulSetSemanticRevisionComparison']).toBeUndefined()
    expect(on('1.34.2', 'StatefulSetSemanticRevisionComparison')).toBe(true)
  })

  it('keeps a gate enabled after it became permanent and was removed', () => {
    expect(release('1.34').featureGates['HonorPVReclaimPolicy']).toMatchObject({ on: true })
    for (const minor of knownMinors) expect(release(minor).gates.has('HonorPVReclaimPolicy')).toBe(true)
  })

  it('has the default scheduler profile of the release', () => {
    const names = (version: string) => release(version).schedulerPlugins.map(({ name }) => name)
    expect(names('1.34')).not.toContain('NodeDeclaredFeatures')
    expect(names('1.36').at(-1)).toBe('NodeDeclaredFeatures')
    expect(names('1.36').slice(2, 4)).toEqual(['NodeUnschedulable', 'NodeName'])
    expect(names('1.37').slice(2, 4)).toEqual(['NodeName', 'NodeUnschedulable'])
    expect(names('1.36').indexOf('DynamicResources')).toBe(names('1.36').indexOf('DefaultPreemption') - 1)
  })
})

describe('withFeatureGates', () => {
  it('sets gates, and lets single gates override AllAlpha and AllBeta', () => {
    expect(must(set('1.36', 'MaxUnavailableStatefulSet=true')).gates.has('MaxUnavailableStatefulSet')).toBe(true)
    const beta = must(set('1.36', 'MaxUnavailableStatefulSet=true,AllBeta=true'))
    expect(beta.gates.has('MaxUnavailableStatefulSet')).toBe(true)
    const without = must(set('1.37', 'StorageCapacityScoring=true, AllAlpha=false'))
    expect(without.gates.has('StorageCapacityScoring')).toBe(true)
  })

  it.each([
    ['1.36', 'Nonsense=true', 'unrecognized feature gate: Nonsense'],
    ['1.36', 'constructor=true', 'unrecognized feature gate: constructor'],
    [
      '1.34.1',
      'StatefulSetSemanticRevisionComparison=true',
      'unrecognized feature gate: StatefulSetSemanticRevisionComparison',
    ],
    ['1.36', 'MaxUnavailableStatefulSet', 'missing bool value for MaxUnavailableStatefulSet'],
    [
      '1.36',
      'MaxUnavailableStatefulSet=yes',
      'invalid value of MaxUnavailableStatefulSet=yes, err: strconv.ParseBool: parsing "yes": invalid syntax',
    ],
    ['1.36', 'APIServerTracing=false', 'cannot set feature gate APIServerTracing to false, feature is locked to true'],
    [
      '1.36',
      'GangScheduling=true',
      'GangScheduling is enabled, but depends on features that are disabled: [GenericWorkload]',
    ],
  ])('withFeatureGates in %s refuses %s as upstream does', (version, text, message) => {
    expect(set(version, text)).toEqual({ ok: false, message })
  })
})

it('finds every gate that the code uses in a release', () => {
  const known = new Set(knownMinors.flatMap((minor) => Object.keys(release(minor).featureGates)))
  const asked = sourcesUnder('src').flatMap(({ path, text }) =>
    [...text.matchAll(/\bgates\.has\('(\w+)'\)/g)].map(([, gate]) => ({ path, gate: gate! })),
  )
  expect(asked.length).toBeGreaterThan(20)
  expect(asked.filter(({ gate }) => !known.has(gate))).toEqual([])
})
