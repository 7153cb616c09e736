import { describe, expect, it, vi } from 'vitest'
import { createCredentials } from '../../src/apiserver/certificates.ts'
import { start, useKubeconfigs } from './kubeconfig-server.ts'

describe('a kubeconfig with problems', () => {
  const test = useKubeconfigs()
  const { write, configFor, kubeconfig, access, refusal } = test

  describe('explains why a server may not accept the credentials', () => {
    const old = createCredentials({ now: Date.parse('2001-01-01T00:00:00Z'), hosts: ['a'], adminToken: '' })
    const base64 = (text: string) => Buffer.from(text).toString('base64')
    const jwt = (exp: number) => `h.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.s`

    it.each<[what: string, user: () => object, said: string | undefined]>([
      [
        'a certificate in a file',
        () => {
          write('old.crt', old.adminCertificate)
          return { 'client-certificate': 'old.crt', 'client-key': write('old.key', old.adminKey) }
        },
        'the client certificate of user "me" in FOLDER/old.crt expired at 2010-12-30T00:00:00Z; renew it',
      ],
      [
        'a certificate in the kubeconfig',
        () => ({
          'client-certificate-data': base64(old.adminCertificate),
          'client-key-data': base64(old.adminKey),
        }),
        'the client certificate of user "me" expired at 2010-12-30T00:00:00Z; renew it',
      ],
      [
        'a token in a file',
        () => ({ tokenFile: write('token', jwt(start / 1000 - 60)) }),
        'the token of user "me" in FOLDER/token expired at 2025-12-31T23:59:00Z; renew it',
      ],
      ['a token that has not expired', () => ({ token: jwt(start / 1000 + 60) }), undefined],
      ['nothing at all', () => ({}), 'the kubeconfig has no credentials of user "me"'],
    ])('explains rejected credentials: %s', async (_what, user, said) => {
      const made = await access({ kubeconfig: kubeconfig(user()) })
      expect(made.explainRefusal?.()?.replace(test.folder, 'FOLDER')).toBe(said)
    })
  })

  describe('reports an invalid kubeconfig in one line', () => {
    const config = () => configFor({ token: 'a' })
    it.each<[what: string, made: () => object, said: string]>([
      [
        'no current context',
        () => ({ ...config(), 'current-context': '' }),
        'Error: the kubeconfig has no current context: choose one with --context; contexts: me',
      ],
      [
        'a current context that is not there',
        () => ({ ...config(), 'current-context': 'gone' }),
        'Error: the current context "gone" is not in the kubeconfig; contexts: me',
      ],
      [
        'a context of no cluster',
        () => ({ ...config(), clusters: [] }),
        'Error: the context "me" refers to the cluster "me", which is not in the kubeconfig',
      ],
      [
        'a context of no user',
        () => ({ ...config(), users: [] }),
        'Error: the context "me" refers to the user "me", which is not in the kubeconfig',
      ],
      [
        'a server that is not a URL',
        () => ({ ...config(), clusters: [{ name: 'me', cluster: { server: '10.0.0.1:6443' } }] }),
        'Error: the server of the cluster "me" is "10.0.0.1:6443"; it must be a URL such as https://10.0.0.1:6443',
      ],
      [
        'a proxy of another kind',
        () => ({
          ...config(),
          clusters: [{ name: 'me', cluster: { server: test.door.url, 'proxy-url': 'ftp://proxy:3128' } }],
        }),
        'Error: the proxy-url of the cluster "me" is "ftp://proxy:3128"; it must be a URL such as http://proxy:3128, https://proxy:3129 or socks5://proxy:1080',
      ],
    ])('reports an invalid kubeconfig: %s', async (_what, made, said) => {
      expect(await refusal({ kubeconfig: write('wrong', JSON.stringify(made())) })).toBe(said)
    })

    it('reports a missing file in $KUBECONFIG', async () => {
      vi.stubEnv('KUBECONFIG', '/no/such')
      expect(await refusal({})).toBe('Error: $KUBECONFIG names /no/such, but no such file exists')
    })
  })
})
