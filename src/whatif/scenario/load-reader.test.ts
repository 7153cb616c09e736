import { describe, expect, it } from 'vitest'
import { readLoads } from './load-reader.ts'

const read = (value: unknown, files: Readonly<Record<string, unknown>> = {}) =>
  readLoads(value, 'load', async (path) => [files[path]])

describe('the load of a scenario', () => {
  it('reads the usage of a workload and its changes', async () => {
    const steps = [{ at: '5m', cpu: 2 }]
    expect(await read({ target: 'deploy/web', cpu: '400m', memory: '1Mi', shared: true, steps })).toEqual([
      {
        target: { kind: 'Deployment', name: 'web', namespace: 'default' },
        isShared: true,
        points: [
          {
            atMs: 0,
            usage: new Map([
              ['cpu', 400n],
              ['memory', 1_048_576_000n],
            ]),
          },
          { atMs: 300_000, usage: new Map([['cpu', 2000n]]) },
        ],
      },
    ])
  })

  it('reads rows of comma-separated values, also from a file', async () => {
    const text = 'time,cpu,requests 0s,100m,10 1m,200m,20'
    const points = [
      {
        atMs: 0,
        usage: new Map([
          ['cpu', 100n],
          ['requests', 10_000n],
        ]),
      },
      {
        atMs: 60_000,
        usage: new Map([
          ['cpu', 200n],
          ['requests', 20_000n],
        ]),
      },
    ]
    expect((await read({ target: 'sts/db', csv: text }))[0]?.points).toEqual(points)
    expect((await read([{ target: 'sts/db', csv: 'a.csv' }], { 'a.csv': text }))[0]?.points).toEqual(points)
  })

  it.each([
    [{ target: 'web' }, 'load.target: must be KIND/NAME, for example deployment/web'],
    [{ target: 'deploy/web', cpu: 'much' }, 'load.cpu: must be a quantity, for example 400m'],
    [{ target: 'deploy/web', csv: 'cpu,time' }, 'load.csv: must begin with the row time,cpu'],
    [{ target: 'deploy/web', csv: 'time,cpu 1m' }, 'load.csv: row 2 must be a duration and 1 quantities'],
    [{ target: 'deploy/web', shared: 'maybe' }, 'load.shared: must be one of true, false, not "maybe"'],
  ])('rejects %j', async (value, message) => {
    await expect(read(value)).rejects.toThrow(message)
  })
})
