export function bundleTypeScript(root: string, entry: string): Promise<string>
export function buildPackage(root: string, options?: { readonly clean?: boolean }): Promise<readonly string[]>
