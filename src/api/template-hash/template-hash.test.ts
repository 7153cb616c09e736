import { describe, expect, it } from 'vitest'
import { must } from '../../base/result.ts'
import type { PodTemplateSpec } from '../objects/pod.ts'
import { releaseOf } from '../releases/release-of.ts'
import { container as defaulted, defaultedSpec } from './defaulted-template.fixture.ts'
import { templateDump, templateHash } from './template-hash.ts'

const container = { ...defaulted, image: 'shop:1', imagePullPolicy: 'IfNotPresent' }
const spec = defaultedSpec(container)
const template = { metadata: { labels: { app: 'web', tier: 'front' } }, spec } as unknown as PodTemplateSpec
const withSpec = (more: object) => ({ ...template, spec: { ...spec, ...more } }) as unknown as PodTemplateSpec
const withContainer = (more: object) => withSpec({ containers: [{ ...container, ...more }] })

describe('the hash of a template', () => {
  it.each([
    ['1.36', 'bc65d558c'],
    ['1.37', '6474d7fbc7'],
  ])('computes the hash of a pod template like the controllers of v%s', (version, hash) => {
    expect(templateHash(template, undefined, must(releaseOf(version)))).toBe(hash)
  })

  it('includes the collision count in the hash of a pod template, and distinguishes undefined and 0', () => {
    const hashes = [undefined, 0, 1, 256].map((count) => templateHash(template, count))
    expect(new Set(hashes).size).toBe(4)
  })

  it.each([
    ['an empty list', withSpec({ volumes: [] })],
    ['an empty map', withSpec({ nodeSelector: {} })],
    ['null', { ...template, metadata: { ...template.metadata, creationTimestamp: null } } as never],
    ['false', withSpec({ hostNetwork: false })],
    ['the order of keys', { spec: template.spec, metadata: { labels: { tier: 'front', app: 'web' } } } as never],
  ])('ignores %s in the hash of a pod template', (_, same) => {
    expect(templateHash(same)).toBe(templateHash(template))
  })

  it.each([
    ['an empty struct', withSpec({ affinity: {} })],
    ['false where an absent value differs', withSpec({ enableServiceLinks: false })],
    ['an empty string where an absent value differs', withSpec({ runtimeClassName: '' })],
  ])('includes %s in the hash of a pod template', (_, other) => {
    expect(templateHash(other)).not.toBe(templateHash(template))
  })
})

describe('the dump of a template', () => {
  const quantity = (i: string, d: string, s: string, format: string) =>
    `{i:(resource.int64Amount){${i}} d:(resource.infDecAmount){Dec:(*inf.Dec)${d}} s:(string)${s} Format:(resource.Format)${format}}`
  const integer = (value: number, scale: number) => `value:(int64)${value} scale:(resource.Scale)${scale}`

  it.each([
    ['100m', quantity(integer(100, -3), '<nil>', '100m', 'DecimalSI')],
    ['0.1', quantity(integer(100, -3), '<nil>', '100m', 'DecimalSI')],
    ['1000', quantity(integer(1, 3), '<nil>', '1k', 'DecimalSI')],
    ['100Mi', quantity(integer(104857600, 0), '<nil>', '100Mi', 'BinarySI')],
    // The parser does not treat multiples of 8 as canonical.
    ['64Mi', quantity(integer(67108864, 0), '<nil>', '', 'BinarySI')],
    [
      '100Ti',
      quantity(
        integer(0, 0),
        '{unscaled:(big.Int){neg:(bool)false abs:(big.nat)[8568098291072368640 5960]} scale:(inf.Scale)9}',
        '',
        'BinarySI',
      ),
    ],
  ])('dumps the quantity %s like Go after protobuf decoding', (text, dump) => {
    const dumped = templateDump(withContainer({ resources: { limits: { cpu: text } } }))
    expect(dumped).toContain(`Limits:(v1.ResourceList)map[cpu:${dump}]`)
  })

  it.each([
    ['ports by number', { httpGet: { port: 80 } }, '{Type:(intstr.Type)0 IntVal:(int32)80 StrVal:(string)}'],
    ['ports by name', { httpGet: { port: 'http' } }, '{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)http}'],
  ])('dumps probes with %s like Go', (_, livenessProbe, port) => {
    expect(templateDump(withContainer({ livenessProbe }))).toContain(` Port:(intstr.IntOrString)${port} Host:(string)`)
  })

  it('dumps embedded structs like Go', () => {
    const volumes = [{ name: 'v', configMap: { name: 'conf', optional: true } }]
    const dumped = templateDump(withSpec({ volumes }))
    expect(dumped).toContain('Volumes:([]v1.Volume)[{Name:(string)v VolumeSource:(v1.VolumeSource){HostPath:')
    expect(dumped).toContain(
      '{LocalObjectReference:(v1.LocalObjectReference){Name:(string)conf} Items:([]v1.KeyToPath)<nil>',
    )
    expect(dumped).toContain(' Optional:(*bool)true ')
  })
})
