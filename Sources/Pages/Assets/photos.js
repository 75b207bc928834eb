// Shrinks photos, because photos of phones are far larger than needed.

/** Resolves with whether the browser can decode a file, or is not the one to decide: some know no HEIC. */
export async function isPhoto(file) {
  if (/\/hei[cf]$/.test(file.type)) return true;
  return createImageBitmap(file).then((picture) => (picture.close(), true), () => false);
}

/** Returns the photo with at most 1600 pixels per side, or the original if shrinking fails or does not make it
 * smaller. */
export async function smaller(file, side = 1600) {
  try {
    const picture = await createImageBitmap(file, { imageOrientation: "from-image" });
    const scale = Math.min(1, side / Math.max(picture.width, picture.height));
    if (scale === 1 && file.size < 1 << 20) return file;
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(picture.width * scale);
    canvas.height = Math.round(picture.height * scale);
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.85));
    return blob && blob.size < file.size ? new File([blob], "photo.jpg", { type: "image/jpeg" }) : file;
  } catch {
    return file;
  }
}
