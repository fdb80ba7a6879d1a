/** The published revisions this SDK line speaks; it ends at 2025-11-25. */
export const legacyVersions: readonly string[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']
