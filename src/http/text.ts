/** The headers of a whole text, whose length lets it be compressed. */
export function textHeaders(text: string, type: string): Record<string, string> {
  return { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(text)) };
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
