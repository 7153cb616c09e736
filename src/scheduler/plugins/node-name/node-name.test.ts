import { describe, expect, it } from 'vitest'
import { releaseOf } from '../../../api/releases/release-of.ts'
import { must } from '../../../base/result.ts'
import { node } from '../../small-cluster.fixture.ts'
import { createDefaultProfile } from '../default-plugins.ts'
import { verdicts } from '../plugin-answers.fixture.ts'

describe('NodeName', () => {
  const nodes = [node('n1'), node('n2')]

  it('rejects all nodes except the named one in v1.36', () => {
    const refused = "NodeName!: node(s) didn't match the requested node name"
    const profile = createDefaultProfile({ release: must(releaseOf('1.36')) })
    expect(verdicts({ nodes, profile }, { nodeName: 'n2' })).toEqual({ n1: refused, n2: 'ok' })
  })

  it('limits the search to the named node in v1.37', () => {
    expect(verdicts({ nodes }, { nodeName: 'n2' })).toEqual({ n2: 'ok' })
  })
})
