import { beforeEach, describe, expect, it } from 'vitest'
import { createVirtualCluster, type VirtualCluster } from '../controlplane/virtual.ts'
import { AsyncWork, OutsideWaitError } from './async-work.ts'

describe('AsyncWork', () => {
  let cluster: VirtualCluster
  let work: AsyncWork
  beforeEach(() => {
    cluster = createVirtualCluster({ startMs: 0, controllers: [] })
    work = new AsyncWork(cluster, { outsideLimitMs: 30 })
  })

  it('runs a chain of promises to its end within one instant', async () => {
    let steps = 0
    work.start('chain', async () => {
      for (; steps < 1000; steps++) await Promise.resolve()
    })
    await work.quiet()
    expect(steps).toBe(1000)
  })

  it('AsyncWork is quiet while a task sleeps, and continues it at its time', async () => {
    const times: number[] = []
    work.start('sleeper', async () => {
      for (let i = 0; i < 3; i++) {
        await work.sleep(1000)
        times.push(cluster.clock.now())
      }
    })
    await work.quiet()
    for (const ms of [999, 1000, 2000, 3000]) {
      cluster.driver.advanceTo(ms)
      await work.quiet()
    }
    expect(times).toEqual([1000, 2000, 3000])
    expect(work.isDue).toBe(false)
  })

  it('reports a task that waits too long for something outside of the cluster', async () => {
    work.start('reconciler stuck', () => new Promise(() => {}))
    await expect(work.quiet()).rejects.toThrow(OutsideWaitError)
    await expect(work.quiet()).rejects.toThrow(/^reconciler stuck has waited 0.03 s for something outside/)
  })

  it('throws the rejection of a task', async () => {
    work.start('failing', async () => {
      await work.sleep(10)
      throw new Error('not today')
    })
    await work.quiet()
    cluster.driver.advanceTo(10)
    await expect(work.quiet()).rejects.toThrow('not today')
    await work.quiet()
  })

  it('AsyncWork must not be advanced by code that it runs', async () => {
    work.start('advancing', () => work.quiet())
    await expect(work.quiet()).rejects.toThrow('must not advance or settle it')
  })
})
