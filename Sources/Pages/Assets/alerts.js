// The maps of the areas of alerts, which are drawn when they come near the window.
const seen = new IntersectionObserver(async (entries, observer) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    observer.unobserve(target);
    const { areaMap } = await import("./leaflet.js");
    await areaMap(target, target.dataset);
  }
}, { rootMargin: "300px" });
for (const place of document.querySelectorAll("[data-area]")) seen.observe(place);
