import type { AffinityTerm, PodShape } from '../../contract/parsed-pod.ts'

/**
 * The inter-pod affinity terms of placed pods, to find the terms that match a pod without iterating over the placed
 * pods. Terms are kept when their pods are deleted, because they often return.
 */
export class TermRegistry {
  /** Required anti-affinity terms, which repel other pods. */
  readonly repelling = new Set<AffinityTerm>()
  /** Terms that change scores: required affinity and all preferred terms. */
  readonly weighing = new Set<AffinityTerm>()
  private readonly shapes = new WeakSet<PodShape>()

  /** Increases when a term is added. */
  get version(): number {
    return this.repelling.size + this.weighing.size
  }

  add(shape: PodShape): void {
    if (!shape.hasAffinity || this.shapes.has(shape)) return
    this.shapes.add(shape)
    for (const term of shape.requiredAntiAffinity) this.repelling.add(term)
    for (const term of shape.requiredAffinity) this.weighing.add(term)
    for (const { term } of shape.preferredAffinity) this.weighing.add(term)
    for (const { term } of shape.preferredAntiAffinity) this.weighing.add(term)
  }
}
