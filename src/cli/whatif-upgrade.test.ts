import { describe, expect, it } from 'vitest'
import { runBerth } from './run-berth.fixture.ts'

const ask = (...words: readonly string[]) => runBerth(['whatif', 'upgrade-control-plane', ...words])
const plain = ['--from', 'docs/how-to/cluster.json']
const example = ['--from', 'examples/upgrade-control-plane/dump.json', '--for', '10m']

describe('berth whatif upgrade-control-plane', () => {
  it.each([
    [['--to', '1.38', ...plain], /^berth: Kubernetes version "1.38" is not known; known versions: 1.34/],
    [['--to', '1.37', ...plain], /no node of the input has a kubelet version: .* --from-version 1.36/],
    [['--to', '1.37', '--from-version', '1.35', ...plain], /skips a minor version, .*upgrade to 1.36 first/],
    [['--to', '1.35', '--from-version', '1.36', ...plain], /does not support a downgrade of the control plane/],
    [
      ['--to', '1.37', '--from-version', '1.36', '--feature-gates', 'DRADerivedAttributes=true', ...plain],
      /^berth: under v1.36.4: .*unrecognized feature gate: DRADerivedAttributes$/m,
    ],
    [['--to', '1.37', '--fail-on', 'never', ...plain], /unknown option '--fail-on'/],
  ])('rejects %j with exit code 2', async (words, message) => {
    const { code, err } = await ask(...words)
    expect(err).toMatch(message)
    expect(code).toBe(2)
  })

  it('prints one line with --brief, and exits with 1 if anything differs', async () => {
    expect(await ask('--to', '1.34.1', '--brief', ...example)).toMatchObject({
      code: 1,
      out: 'v1.34.11 to v1.34.1: 8 pods restart, 1 feature gate changes.\n',
    })
    expect(await ask('--to', '1.34.2', '--brief', ...example)).toMatchObject({
      code: 0,
      out: 'v1.34.11 to v1.34.2: Nothing differs for this cluster.\n',
    })
  })

  it('fits its text to 110 columns', async () => {
    const { out } = await ask('--to', '1.34.1', ...example)
    expect(out).toContain('pods of StatefulSet shop/db restart')
    expect(out.split('\n').filter((line) => line.length > 110)).toEqual([])
  })
})
