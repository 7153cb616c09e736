import { describe, expect, it } from 'vitest'
import { apiServerFlags, apiServerSwitches, etcdFlags } from './known-flags.ts'
import { flagHelp, readFlags } from './read-flags.ts'
import { servedRelease } from './run-api-server.ts'

const known = { valued: apiServerFlags, switches: apiServerSwitches }
const read = (...args: readonly string[]) => readFlags('kube-apiserver', args, known)

describe('flags of the programs for envtest', () => {
  it('flags of the programs for envtest are read as Go components read them', () => {
    const flags = read('--secure-port=1234', '--bind-address', '127.0.0.1', '--allow-privileged', '--v=2')
    expect(flags.last('secure-port')).toBe('1234')
    expect(flags.last('bind-address')).toBe('127.0.0.1')
    expect(flags.last('allow-privileged')).toBe('true')
    expect(read('--authorization-mode=Node,RBAC').all('authorization-mode')).toEqual(['Node', 'RBAC'])
    expect(read('--secure-port=1', '--secure-port=2').last('secure-port')).toBe('2')
  })

  it('flags of the programs for envtest are accepted if kube-apiserver knows them, and refused otherwise', () => {
    expect(() => read('--etcd-compaction-interval=5m', '--audit-log-compress')).not.toThrow()
    expect(() => read('--insecure-port=0')).toThrow('kube-apiserver: unknown flag: --insecure-port')
    expect(() => read('--no-such-flag')).toThrow('unknown flag: --no-such-flag')
    expect(() => read('--secure-port')).toThrow('flag needs an argument: --secure-port')
    expect(() => read('serve')).toThrow('unknown command "serve"')
  })

  it('flags of the programs for envtest are in the help, one per line', () => {
    const help = flagHelp('kube-apiserver', '', apiServerFlags)
    expect(help).toMatch(/^\s*--secure-port\b/m)
    expect(help).not.toMatch(/^\s*--insecure-port\b/m)
    expect(etcdFlags.has('listen-client-urls')).toBe(true)
  })

  it('the release for envtest is that of BERTH_KUBERNETES_VERSION, with the feature gates of the flag', () => {
    const release = servedRelease(read('--feature-gates=GenericWorkload=true'), { BERTH_KUBERNETES_VERSION: '1.36' })
    expect([release.version, release.gates.has('GenericWorkload')]).toEqual(['1.36.4', true])
    expect(servedRelease(read(), {}).minor).toBe('1.37')
    expect(() => servedRelease(read('--feature-gates=Foo=true'), {})).toThrow('unrecognized feature gate: Foo')
    expect(() => servedRelease(read(), { BERTH_KUBERNETES_VERSION: '1.33' })).toThrow('known versions: 1.34')
  })
})
