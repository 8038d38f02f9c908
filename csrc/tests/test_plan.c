/* Planning as a table, for each table of kernels on any machine: layouts in, canonical axes and the way out, as spelling.h spells
 * them. */
#include "plan/planner.h"

#include "expect.h"
#include "spelling.h"

#include <string.h>

/* Tables as the planner sees them. */
enum { AVX512, AVX512_INTEL, AVX2, AVX2_INTEL, NEON, BASELINE, TABLES };
static const dmlc_kernels tables[TABLES] = {
    [AVX512] = {.abilities = &dmlc_abilities_avx512}, [AVX512_INTEL] = {.abilities = &dmlc_abilities_avx512_intel},
    [AVX2] = {.abilities = &dmlc_abilities_avx2},     [AVX2_INTEL] = {.abilities = &dmlc_abilities_avx2_intel},
    [NEON] = {.abilities = &dmlc_abilities_neon},     [BASELINE] = {.abilities = &dmlc_abilities_baseline},
};

static const char *const names[TABLES] = {"avx512", "avx512, Intel", "avx2", "avx2, Intel", "neon", "baseline"};

/* What is wanted of AVX-512, of AVX2 and NEON, and of the portable kernels; NULL is what the one before has. */
typedef struct choices {
    const char *wide, *lanes, *plain;
} choices;

/* Where Intel's costs choose otherwise, by the layout's name; NULL is as without them. */
static const struct {
    const char *name, *wide, *lanes;
} of_intel[] = {
    {"reversed rows are permuted by wide blocks", "40@700<700 700@1<-1 rows 1: gather 700+0<0/-1", NULL},
    {"boxes of three hundred runs, where there are many", "40@300<800 60@5<12 5@1<-1 short rows 60 together: 11 of 5",
     NULL},
    {"small rows that lie apart are shuffles in the cache", "1000@6528<1056 66@96<16 4@16<4 rows 4: gather 4+0<0/4",
     NULL},
    {"lanes pass gaps between boxes of which most is used", "1315@756<4536 7@108<4 27@4<28 rows 4: gather 27+0<0/28",
     NULL},
    {"rows of pixels to planes at once", NULL, "4@50000<1 100@500<2068 500@1<4 rows 1: gather 500+0<0/4"},
    {"pixels from the last to the first are rows", "3@1200<4 300@4<-12 transpose 1 along 1 across", NULL},
    {"and back", NULL, "3@1200<4 300@4<12 rows 4: gather 300+0<0/12"},
    {"pixels of 16 bytes the other way round", "300@16<-16 rows 16: gather 300+0<0/-16", NULL},
    {"a box of many copied rows reads more of its shuffles than of them",
     "100@2400<5000 10@240<400 240@1<1 shuffles 2 axes 2400: 38 by 1, 3840", NULL},
    {"what has no room in a stage grows in the output",
     "4@475000<375 125@3800<3 19@200<0 200@1<1500 grown (transpose 1 along 1 across) (shuffles 2 axes 3600: 57)", NULL},
    {"two of three channels of 4 bytes", "300@8<12 rows 8: gather 300+0<0/12", NULL},
    {"more tiles than registers", "4096@52<8 select 13@4 by tiles", NULL},
    {"more classes than bytes tell apart", "4096@300<8 select 300@1 by sequences",
     "4096@300<8 select 300@1 by sequences"},
    {"columns that lie apart", "3@80<0 band -2..2 of 5x4@16,4 by filled", NULL},
};

static const char *wanted_of(const char *name, const choices *wanted, int table)
{
    const bool wide = table == AVX512 || table == AVX512_INTEL, intel = table == AVX512_INTEL || table == AVX2_INTEL;
    for (size_t i = 0; intel && i < sizeof(of_intel) / sizeof(of_intel[0]); ++i) {
        const char *otherwise = wide ? of_intel[i].wide : of_intel[i].lanes;
        if (strcmp(of_intel[i].name, name) == 0 && otherwise != NULL)
            return otherwise;
    }
    const char *lanes = wanted->lanes != NULL ? wanted->lanes : wanted->wide;
    const char *plain = wanted->plain != NULL ? wanted->plain : lanes;
    return wide ? wanted->wide : table == BASELINE ? plain : lanes;
}

/* Takes the pointer's address, so that the call that sets it may stand among the arguments. */
static void expect_text(const char *name, int table, dmlc_status status, dmlc_plan **plan, const choices *wanted)
{
    ++expected;
    if (status != DMLC_OK) {
        ++failed;
        fprintf(stderr, "%s: %s\n", name, dmlc_status_message(status));
        return;
    }
    const text got = spell_plan(*plan);
    if (strcmp(got.characters, wanted_of(name, wanted, table)) != 0) {
        ++failed;
        fprintf(stderr, "%s, %s:\n  must be %s\n  is      %s\n", name, names[table], wanted_of(name, wanted, table),
                got.characters);
    }
    dmlc_plan_free(*plan);
}

enum { MOST_AXES = 4 };

typedef struct slice_row {
    const char *name;
    int64_t width;
    int32_t rank;
    int64_t sizes[MOST_AXES], input[MOST_AXES], output[MOST_AXES];
    choices wanted;
} slice_row;

/* Windows are their views' strides, so all offsets are 0 and all steps 1. */
/* clang-format off */
static const slice_row slices[] = {
    {"a scalar is a row of one", 4, 0, {0}, {0}, {0}, {"1@4<4 rows 4: copy 4+0<0", NULL, NULL}},
    {"nothing", 4, 2, {3, 0}, {0, 4}, {0, 4}, {"empty", NULL, NULL}},
    {"contiguous axes are one", 4, 3, {20, 30, 50}, {6000, 200, 4}, {6000, 200, 4},
     {"30000@4<4 rows 4: copy 120000+0<0", NULL, NULL}},
    {"sizes of 1 vanish, whatever their strides", 4, 4, {1, 30, 1, 50}, {-77, 200, 1 << 30, 4}, {9, 200, -3, 4},
     {"1500@4<4 rows 4: copy 6000+0<0", NULL, NULL}},
    {"both sides must continue", 4, 2, {30, 50}, {400, 4}, {200, 4}, {"30@200<400 50@4<4 rows 4: copy 200+0<0", NULL, NULL}},
    {"pixels are chunks of a row", 1, 3, {40, 50, 3}, {300, 6, 1}, {150, 3, 1},
     {"2000@3<6 permuted rows 3: gather 2000+0<0/6 by 21",
      "2000@3<6 permuted rows 3: gather 2000+0<0/6 by 5",
      "2000@3<6 rows 3: gather 2000+0<0/6"}},
    {"reversed on both sides is not reversed", 2, 1, {100}, {-2}, {-2},
     {"output-198 input-198 100@2<2 rows 2: copy 200+0<0", NULL, NULL}},
    {"a reversed input", 2, 1, {100}, {-2}, {2}, {"100@2<-2 rows 2: gather 100+0<0/-2", NULL, NULL}},
    {"a reversed output walks the input back", 2, 1, {100}, {2}, {-2},
     {"output-198 input+198 100@2<-2 rows 2: gather 100+0<0/-2", NULL, NULL}},
    {"boxes of a hundred runs", 1, 3, {14, 10, 11}, {1360, 34, 3}, {110, 11, 1},
     {"14@110<1360 10@11<34 11@1<3 shuffles 2 axes 110: 4", "14@110<1360 10@11<34 11@1<3 shuffles 2 axes 110: 7",
      "14@110<1360 10@11<34 11@1<3 moves 2 axes 110: 110x1"}},
    {"boxes of three hundred runs, where there are many", 1, 3, {40, 60, 5}, {800, 12, -1}, {300, 5, 1},
     {"40@300<800 60@5<12 5@1<-1 shuffles 2 axes 300: 9 by 1, 713",
      "40@300<800 60@5<12 5@1<-1 short rows 60 together: 3 of 5",
      "40@300<800 60@5<12 5@1<-1 rows 1: gather 5+0<0/-1"}},
    {"rows, where boxes of three hundred runs are few", 1, 3, {20, 60, 5}, {800, 12, -1}, {300, 5, 1},
     {"20@300<800 60@5<12 5@1<-1 short rows 60 together: 11 of 5",
      "20@300<800 60@5<12 5@1<-1 short rows 60 together: 3 of 5",
      "20@300<800 60@5<12 5@1<-1 rows 1: gather 5+0<0/-1"}},
    {"channels of a cropped image the other way round", 1, 3, {100, 200, 3}, {651, 3, -1}, {600, 3, 1},
     {"100@600<651 200@3<3 3@1<-1 short rows 200 together: 21 of 3",
      "100@600<651 200@3<3 3@1<-1 short rows 200 together: 5 of 3",
      "100@600<651 200@3<3 3@1<-1 rows 1: gather 3+0<0/-1"}},
    {"channels of a narrow image the other way round", 1, 3, {100, 12, 3}, {87, 3, -1}, {36, 3, 1},
     {"100@36<87 12@3<3 3@1<-1 shuffles 2 axes 36: 1 by 23, 0",
      "100@36<87 12@3<3 3@1<-1 shuffles 2 axes 36: 3 by 85, 0",
      "100@36<87 12@3<3 3@1<-1 moves 2 axes 36: 36x1 by 23, 0"}},
    {"rows of many pixels are cut for threads", 1, 3, {4, 30000, 3}, {90003, 3, -1}, {90000, 3, 1},
     {"4@90000<90003 30000@3<3 3@1<-1 short rows 21 of 3",
      "4@90000<90003 30000@3<3 3@1<-1 short rows 5 of 3",
      "4@90000<90003 30000@3<3 3@1<-1 rows 1: gather 3+0<0/-1"}},
    {"a few rows that are copied as a whole", 16, 3, {207, 7, 16}, {256, 52992, 16}, {1792, 256, 16},
     {"207@1792<256 7@256<52992 16@16<16 shuffles 2 axes 1792: 28",
      "207@1792<256 7@256<52992 16@16<16 rows 16: copy 256+0<0", NULL}},
    {"boxes of a few KB, where there are many", 16, 3, {40, 9, 10}, {7000, 640, -32}, {1440, 160, 16},
     {"40@1440<7000 9@160<640 10@16<-32 shuffles 2 axes 1440: 23 by 6 by 1, 5424",
      "40@1440<7000 9@160<640 10@16<-32 rows 16: gather 10+0<0/-32",
      "40@1440<7000 9@160<640 10@16<-32 moves 2 axes 1440: 90x16 by 6 by 1, 5424"}},
    {"rows, where boxes of a few KB are few", 16, 3, {20, 9, 10}, {7000, 640, -32}, {1440, 160, 16},
     {"20@1440<7000 9@160<640 10@16<-32 rows 16: gather 10+0<0/-32",
      NULL,
      NULL}},
    {"a smaller box whose blocks read what is near", 2, 4, {4298, 6, 12, 3}, {1296, 24, -2, 432}, {432, 72, 6, 2},
     {"4298@432<1296 6@72<24 12@6<-2 3@2<432 shuffles 3 axes 432: 14 by 1, 1008",
      "4298@432<1296 6@72<24 12@6<-2 3@2<432 shuffles 2 axes 72: 5",
      "4298@432<1296 6@72<24 12@6<-2 3@2<432 moves 3 axes 432: 216x2 by 1, 1008"}},
    {"boxes that lie apart are read in order, the next ones fetched", 8, 3, {1000, 2, 30}, {1440, 24, 48}, {480, 240, 8},
     {"1000@480<1440 2@240<24 30@8<48 shuffles 2 axes 480: 15 by 1, 1424",
      "1000@480<1440 2@240<24 30@8<48 shuffles 2 axes 480: 30 by 1, 1424",
      "1000@480<1440 2@240<24 30@8<48 moves 2 axes 480: 60x8 by 1, 1424"}},
    {"several together where they are small, and none fetched", 4, 3, {1000, 3, 4}, {96, 8, 24}, {48, 16, 4},
     {"1000@48<96 3@16<8 4@4<24 shuffles 2 axes 48: 1 by 21, 0",
      "1000@48<96 3@16<8 4@4<24 shuffles 2 axes 48: 3 by 21, 0",
      "1000@48<96 3@16<8 4@4<24 moves 2 axes 48: 12x4 by 21, 0"}},
    {"and no more of them than a stage holds", 4, 3, {40, 4, 16}, {300, 4, 0}, {256, 64, 4},
     {"40@256<300 4@64<4 16@4<0 shuffles 2 axes 256: 4",
      "40@256<300 4@64<4 16@4<0 shuffles 2 axes 256: 16 by 16, 16",
      "40@256<300 4@64<4 16@4<0 packed 640: (rows 16: gather 40+0<0/300) (rows 4: repeat 16+0<0)"}},
    {"of which little need be used", 1, 3, {1000, 6, 6}, {459, 81, 3}, {36, 6, 1},
     {"1000@36<459 6@6<81 6@1<3 shuffles 2 axes 36: 3 by 2, 421",
      NULL,
      "1000@36<459 6@6<81 6@1<3 moves 2 axes 36: 36x1 by 2, 421"}},
    {"but not where they leave out most lines", 8, 3, {1000, 5, 2}, {1944, 432, 32}, {80, 16, 8},
     {"1000@80<1944 5@16<432 2@8<32 shuffles 2 axes 80: 3",
      "1000@80<1944 5@16<432 2@8<32 shuffles 2 axes 80: 5",
      "1000@80<1944 5@16<432 2@8<32 moves 2 axes 80: 10x8"}},
    {"nor where little is used and they reach far", 2, 3, {1000, 11, 5}, {2448, 204, 14}, {110, 10, 2},
     {"1000@110<2448 11@10<204 5@2<14 shuffles 2 axes 110: 7",
      "1000@110<2448 11@10<204 5@2<14 short rows 11 together: 1 of 10",
      "1000@110<2448 11@10<204 5@2<14 moves 2 axes 110: 55x2"}},
    {"nor where they are closer than lines", 2, 3, {1000, 2, 2}, {48, 12, -6}, {8, 4, 2},
     {"1000@8<48 2@4<12 2@2<-6 shuffles 2 axes 8: 1", "1000@8<48 2@4<12 2@2<-6 moves 2 axes 8: 4x2", NULL}},
    {"nor where much of what lies between is not read", 4, 4, {1000, 2, 2, 30}, {3840, 960, 16, 32},
     {480, 240, 120, 4},
     {"1000@480<3840 2@240<960 2@120<16 30@4<32 shuffles 3 axes 480: 30",
      NULL,
      "1000@480<3840 2@240<960 2@120<16 30@4<32 moves 3 axes 480: 120x4"}},
    {"nor where what they read lies far apart", 2, 3, {1000, 4, 6}, {20000, 6000, 4}, {48, 12, 2},
     {"1000@48<20000 4@12<6000 6@2<4 shuffles 2 axes 48: 2",
      "1000@48<20000 4@12<6000 6@2<4 shuffles 2 axes 48: 3",
      "1000@48<20000 4@12<6000 6@2<4 moves 2 axes 48: 24x2"}},
    {"lanes pass gaps between boxes of which most is used", 4, 3, {1315, 7, 27}, {4536, 4, 28}, {756, 108, 4},
     {"1315@756<4536 7@108<4 27@4<28 shuffles 2 axes 756: 36",
      "1315@756<4536 7@108<4 27@4<28 shuffles 2 axes 756: 48 by 4, 756",
      "1315@756<4536 7@108<4 27@4<28 rows 4: gather 27+0<0/28"}},
    {"boxes that share places in a cache are few at a time", 4, 3, {500, 8, 12}, {8192, 4, 32}, {384, 48, 4},
     {"500@384<8192 8@48<4 12@4<32 shuffles 2 axes 384: 18 by 6",
      "500@384<8192 8@48<4 12@4<32 shuffles 2 axes 384: 24 by 6",
      "500@384<8192 8@48<4 12@4<32 moves 2 axes 384: 96x4 by 6"}},
    {"and many where they share none", 4, 3, {500, 8, 12}, {8000, 4, 32}, {384, 48, 4},
     {"500@384<8000 8@48<4 12@4<32 shuffles 2 axes 384: 18",
      "500@384<8000 8@48<4 12@4<32 shuffles 2 axes 384: 24",
      "500@384<8000 8@48<4 12@4<32 moves 2 axes 384: 96x4"}},
    {"few, too, where each element has a line", 4, 3, {374, 7, 34}, {4352, 4, 128}, {952, 136, 4},
     {"374@952<4352 7@136<4 34@4<128 rows 4: gather 34+0<0/128",
      "374@952<4352 7@136<4 34@4<128 shuffles 2 axes 952: 60 by 6 by 1, 4252",
      "374@952<4352 7@136<4 34@4<128 rows 4: gather 34+0<0/128"}},
    {"rows of boxes that read much from several places", 4, 3, {20745, 6, 19}, {304, 6306480, 16}, {456, 76, 4},
     {"20745@456<304 6@76<6306480 19@4<16 rows 4: gather 19+0<0/16", NULL, NULL}},
    {"and little", 4, 3, {2000, 6, 19}, {304, 608000, 16}, {456, 76, 4},
     {"2000@456<304 6@76<608000 19@4<16 shuffles 2 axes 456: 19",
      "2000@456<304 6@76<608000 19@4<16 shuffles 2 axes 456: 29",
      "2000@456<304 6@76<608000 19@4<16 rows 4: gather 19+0<0/16"}},
    {"small matrices that come from far away are transposed row by row", 4, 3, {30000, 5, 41}, {820, 4, 20}, {820, 164, 4},
     {"30000@820<820 5@164<4 41@4<20 shuffles 2 axes 820: 29 by 2, 820",
      "30000@820<820 5@164<4 41@4<20 rows 4: gather 41+0<0/20", NULL}},
    {"from near by, too, where lanes take their planes apart in one pass", 8, 3, {5000, 2, 41}, {656, 8, 16}, {656, 328, 8},
     {"5000@656<656 2@328<8 41@8<16 shuffles 2 axes 656: 12 by 3, 656",
      "5000@656<656 2@328<8 41@8<16 rows 8: gather 41+0<0/16",
      "5000@656<656 2@328<8 41@8<16 moves 2 axes 656: 82x8 by 3, 656"}},
    {"others are boxes", 4, 3, {2000, 5, 41}, {820, 4, 20}, {820, 164, 4},
     {"2000@820<820 5@164<4 41@4<20 shuffles 2 axes 820: 29 by 2, 820",
      "2000@820<820 5@164<4 41@4<20 shuffles 2 axes 820: 52 by 2, 820",
      "2000@820<820 5@164<4 41@4<20 rows 4: gather 41+0<0/20"}},
    {"rows of a line and more that are copied are moves in small boxes", 4, 3, {900, 3, 64}, {256, 230400, 4}, {768, 256, 4},
     {"900@768<256 3@256<230400 64@4<4 shuffles 2 axes 768: 12",
      "900@768<256 3@256<230400 64@4<4 moves 2 axes 768: 24x32", NULL}},
    {"of any vectors where they lie far", 4, 3, {30000, 3, 64}, {256, 7680000, 4}, {768, 256, 4},
     {"30000@768<256 3@256<7680000 64@4<4 moves 2 axes 768: 24x32", NULL, NULL}},
    {"boxes of lanes that crowd a cache are rows where those are copies", 4, 3, {900, 3, 80}, {320, 288000, 4}, {960, 320, 4},
     {"900@960<320 3@320<288000 80@4<4 shuffles 2 axes 960: 15",
      "900@960<320 3@320<288000 80@4<4 rows 4: copy 320+0<0", NULL}},
    {"of several axes only larger ones", 16, 4, {370, 2, 2, 15}, {16320, 5440, 272, 16},
     {960, 480, 240, 16},
     {"370@960<16320 2@480<5440 2@240<272 15@16<16 shuffles 3 axes 960: 15 by 6",
      "370@960<16320 2@480<5440 2@240<272 15@16<16 shuffles 3 axes 960: 60 by 6",
      "370@960<16320 2@480<5440 2@240<272 15@16<16 rows 16: copy 240+0<0"}},
    {"whole vectors are where they lie far", 4, 3, {30000, 3, 80}, {320, 9600000, 4}, {960, 320, 4},
     {"30000@960<320 3@320<9600000 80@4<4 rows 4: copy 320+0<0", NULL, NULL}},
    {"boxes that read a little of each line are shuffled", 4, 2, {4000, 15}, {732, 48}, {60, 4},
     {"4000@60<732 15@4<48 rows 4: gather 15+0<0/48", "4000@60<732 15@4<48 shuffles 1 axes 60: 4 by 1, 676",
      "4000@60<732 15@4<48 rows 4: gather 15+0<0/48"}},
    {"but not of much memory", 4, 3, {7, 4002, 15}, {2932392, 732, 48}, {240120, 60, 4},
     {"7@240120<2932392 4002@60<732 15@4<48 rows 4: gather 15+0<0/48", NULL, NULL}},
    {"reversed rows are permuted by wide blocks", 1, 2, {40, 700}, {700, -1}, {700, 1},
     {"40@700<700 700@1<-1 permuted rows 1: gather 700+0<0/-1 by 64", "40@700<700 700@1<-1 rows 1: gather 700+0<0/-1", NULL}},
    {"long ones have aligned stores", 2, 2, {40, 1000}, {2000, -2}, {2000, 2},
     {"40@2000<2000 1000@2<-2 rows 2: gather 1000+0<0/-2", NULL, NULL}},
    {"Fortran order on both sides", 8, 2, {30, 50}, {8, 240}, {8, 240}, {"1500@8<8 rows 8: copy 12000+0<0", NULL, NULL}},
    {"a transpose", 4, 2, {30, 50}, {4, 120}, {200, 4}, {"30@200<4 50@4<120 transpose 1 along 1 across", NULL, NULL}},
    {"pixels from the last to the first to planes", 1, 2, {3, 300}, {1, -3}, {300, 1},
     {"3@300<1 300@1<-3 permuted rows 1: gather 300+0<0/-3 by 43",
      "3@300<1 300@1<-3 transpose 1 along 1 across", "3@300<1 300@1<-3 rows 1: gather 300+0<0/-3"}},
    {"a box of many copied rows reads more of its shuffles than of them", 1, 3, {100, 10, 240}, {5000, 400, 1}, {2400, 240, 1},
     {"100@2400<5000 10@240<400 240@1<1 rows 1: copy 240+0<0", NULL, NULL}},
    {"one of fewer does not", 1, 3, {100, 8, 240}, {5000, 400, 1}, {1920, 240, 1},
     {"100@1920<5000 8@240<400 240@1<1 shuffles 2 axes 1920: 30",
      "100@1920<5000 8@240<400 240@1<1 rows 1: copy 240+0<0", NULL}},
    {"pixels that are nearly as wide as a tile are turned as if they were", 2, 2, {400, 5}, {2, 800}, {10, 2},
     {"400@10<2 5@2<800 transpose 1 along 1 across", NULL, "400@10<2 5@2<800 rows 2: gather 5+0<0/800"}},
    {"but not a few of them", 4, 2, {40, 7}, {4, 160}, {28, 4},
     {"40@28<4 7@4<160 rows 4: gather 7+0<0/160", NULL, NULL}},
    {"planes to pixels are one pass, as wide as they are", 1, 2, {300, 3}, {1, 300}, {3, 1},
     {"300@3<1 3@1<300 transpose 1 along 1 across", NULL, "300@3<1 3@1<300 rows 1: gather 3+0<0/300"}},
    {"and back", 4, 2, {3, 300}, {4, 12}, {1200, 4},
     {"3@1200<4 300@4<12 transpose 1 along 1 across", NULL, "3@1200<4 300@4<12 rows 4: gather 300+0<0/12"}},
    {"rows of pixels to planes at once", 1, 3, {4, 100, 500}, {1, 2068, 4}, {50000, 500, 1},
     {"100@500<2068 4@50000<1 500@1<4 transpose 1 along 1 across", NULL,
      "4@50000<1 100@500<2068 500@1<4 rows 1: gather 500+0<0/4"}},
    {"pixels from the last to the first are rows", 4, 2, {3, 300}, {4, -12}, {1200, 4},
     {"3@1200<4 300@4<-12 permuted rows 4: gather 300+0<0/-12 by 11", "3@1200<4 300@4<-12 rows 4: gather 300+0<0/-12",
      NULL}},
    {"those of small images, too", 4, 3, {4836, 58, 4}, {928, 4, 232}, {928, 16, 4},
     {"4836@928<928 58@16<4 4@4<232 transpose 1 along 1 across", NULL,
      "4836@928<928 58@16<4 4@4<232 rows 4: gather 4+0<0/232"}},
    {"planes of an image that no cache holds are read at once", 1, 2, {3, 2073600}, {1, 3}, {2073600, 1},
     {"3@2073600<1 2073600@1<3 transpose 1 along 1 across", NULL,
      "3@2073600<1 2073600@1<3 rows 1: gather 2073600+0<0/3"}},
    {"long rows whose output lies apart are boxes", 16, 3, {1610, 2, 19}, {608, 304, 16}, {8448, 1408, 64},
     {"1610@8448<608 2@1408<304 19@64<16 moves 2 axes 608: 38x16", NULL, NULL}},
    {"small rows that lie apart are shuffles in the cache", 4, 3, {1000, 66, 4}, {1056, 16, 4}, {6528, 96, 16},
     {"1000@6528<1056 66@96<16 4@16<4 shuffles 1 axes 16: 1",
      "1000@6528<1056 66@96<16 4@16<4 rows 4: gather 4+0<0/4", NULL}},
    {"but not in memory, where what masks write is not fetched ahead", 4, 3, {4000, 66, 4}, {1056, 16, 4},
     {6528, 96, 16}, {"4000@6528<1056 66@96<16 4@16<4 rows 4: gather 4+0<0/4", NULL, NULL}},
    {"elements that lie apart are shuffles in the cache", 2, 2, {5000, 150}, {-300, 2}, {600, 4},
     {"5000@600<-300 150@4<2 shuffles 1 axes 300: 10", "5000@600<-300 150@4<2 rows 2: gather 150+0<0/2", NULL}},
    {"but not in memory either", 2, 2, {80000, 150}, {-300, 2}, {600, 4},
     {"80000@600<-300 150@4<2 rows 2: gather 150+0<0/2", NULL, NULL}},
    {"small axes that are far apart in the input are boxes", 2, 3, {50, 2, 4}, {10, 2, 3000}, {16, 8, 2},
     {"50@16<10 2@8<2 4@2<3000 shuffles 2 axes 16: 2",
      "50@16<10 2@8<2 4@2<3000 shuffles 2 axes 16: 1",
      "50@16<10 2@8<2 4@2<3000 moves 2 axes 16: 8x2"}},
    {"an axis that continues the input's nearest one lies across too", 4, 3, {4, 50, 100}, {4, 16, 800}, {20000, 400, 4},
     {"50@400<16 4@20000<4 100@4<800 transpose 1 along 2 across, 4 places", NULL, NULL}},
    {"an axis that continues a short row lies along it", 4, 3, {20, 8, 30}, {4, 2400, 80}, {960, 4, 32},
     {"20@960<4 30@32<80 8@4<2400 transpose 2 along 1 across, 240 sources", NULL, NULL}},
    {"lines that share places in the cache are transposed", 16, 2, {128, 96}, {16, 2048}, {1536, 16},
     {"128@1536<16 96@16<2048 transpose 1 along 1 across", NULL, NULL}},
    {"as many that do not are rows", 16, 2, {128, 96}, {16, 2064}, {1536, 16},
     {"128@1536<16 96@16<2064 rows 16: gather 96+0<0/2064", NULL, NULL}},
    {"lines that no axis comes back to are rows", 16, 2, {4000, 46}, {192, 4694208}, {736, 16},
     {"4000@736<192 46@16<4694208 rows 16: gather 46+0<0/4694208", NULL, NULL}},
    {"rows of eight have no loop of their own", 4, 4, {6, 8, 25, 4}, {3200, 400, 16, 4}, {7200, 4, 36, 900},
     {"6@7200<3200 25@36<16 4@900<4 8@4<400 transpose 1 along 2 across, 4 places", NULL, NULL}},
    {"the row of a narrow transpose is the longer axis", 16, 4, {4, 15, 24, 3}, {16, 192, 2880, 64},
     {17280, 1152, 48, 16},
     {"15@1152<192 3@16<64 4@17280<16 24@48<2880 transpose 1 along 3 across, 12 places", NULL, NULL}},
    {"every third byte of rows, transposed, goes through a buffer", 1, 2, {100, 90}, {3, 300}, {90, 1},
     {"100@90<3 90@1<300 transpose 1 along 1 across", "100@90<3 90@1<300 transpose 1 along 1 across",
      "100@90<3 90@1<300 rows 1: gather 90+0<0/300"}},
    {"whose columns are of one axis, where that is long", 4, 3, {71, 11, 19}, {8, 568, 12496}, {836, 76, 4},
     {"11@76<568 71@836<8 19@4<12496 transpose 1 along 2 across, 71 places", NULL,
      "71@836<8 11@76<568 19@4<12496 transpose 2 along 1 across, 209 sources"}},
    {"and of two where it is short", 1, 3, {535, 25, 3}, {2, 4280, 1070}, {75, 3, 1},
     {"535@75<2 25@3<4280 3@1<1070 transpose 2 along 1 across, 75 sources", NULL,
      "3@1<1070 535@75<2 25@3<4280 transpose 1 along 1 across"}},
    {"every fifth is gathered", 1, 2, {100, 90}, {5, 500}, {90, 1},
     {"100@90<5 90@1<500 rows 1: gather 90+0<0/500", NULL, NULL}},
    {"rows with gaps are moves too", 2, 3, {50, 3, 5}, {30, 10, -2}, {40, 12, 2},
     {"50@40<30 3@12<10 5@2<-2 shuffles 2 axes 30: 1",
      "50@40<30 3@12<10 5@2<-2 moves 2 axes 30: 15x2", NULL}},
    {"a few elements of each row, apart in the output, are rows", 4, 2, {1000, 6}, {24, 4}, {96, 12},
     {"1000@96<24 6@12<4 shuffles 1 axes 24: 1", "1000@96<24 6@12<4 rows 4: gather 6+0<0/4", NULL}},
    {"a broadcast row", 4, 2, {30, 50}, {0, 4}, {200, 4}, {"30@200<0 50@4<4 rows 4: copy 200+0<0", NULL, NULL}},
    {"an element for each row is a fill of vectors", 4, 2, {30, 50}, {4, 0}, {200, 4},
     {"30@200<4 50@4<0 rows 4: repeat 50+0<0", NULL, NULL}},
    {"elements that lie apart and are repeated are packed first", 1, 3, {1600, 6, 16}, {30, 2, 0}, {96, 16, 1},
     {"1600@96<30 6@16<2 16@1<0 packed 9600: (short rows 1600 together: 4 of 6) (short rows 4 of 16)",
      "1600@96<30 6@16<2 16@1<0 packed 9600: (short rows 1600 together: 2 of 6) (short rows 1 of 16)",
      "1600@96<30 6@16<2 16@1<0 packed 9600: (rows 1: gather 6+0<0/2) (transpose 1 along 1 across)"}},
    {"but not a few", 1, 3, {10, 6, 16}, {30, 2, 0}, {96, 16, 1},
     {"10@96<30 6@16<2 16@1<0 shuffles 2 axes 96: 2", "10@96<30 6@16<2 16@1<0 moves 2 axes 96: 96x1", NULL}},
    {"of a long axis a part at a time", 1, 3, {500, 2, 200}, {3, 0, 1500}, {400, 200, 1},
     {"2@200<0 500@400<3 200@1<1500 transpose 1 along 1 across", NULL,
      "4@50000<375 125@400<3 2@200<0 200@1<1500 packed 25000: (transpose 1 along 1 across) (moves 2 axes 400: 14x32)"}},
    {"what has no room in a stage grows in the output", 1, 3, {500, 19, 200}, {3, 0, 1500}, {3800, 200, 1},
     {"4@475000<375 125@3800<3 19@200<0 200@1<1500 grown (transpose 1 along 1 across) (rows 1: copy 200+0<0)", NULL, NULL}},
    {"narrow blocks turn 8 bytes by a loop of their own", 8, 2, {1000, 1000}, {16000, -8}, {8000, 8},
     {"1000@8000<16000 1000@8<-8 rows 8: gather 1000+0<0/-8", NULL, NULL}},
    {"two whole blocks of it are rows, too", 4, 2, {1358, 32}, {4, 0}, {128, 4},
     {"1358@128<4 32@4<0 rows 4: repeat 32+0<0", NULL, NULL}},
    {"narrow blocks do not permute what is read beyond its end", 4, 3, {423, 11, 5}, {20, 0, 4}, {220, 20, 4},
     {"423@220<20 11@20<0 permuted rows 20: gather 11+0<0/0 by 3", "423@220<20 11@20<0 shuffles 1 axes 220: 14",
      "423@220<20 11@20<0 rows 20: gather 11+0<0/0"}},
    {"a broadcast element", 4, 1, {50}, {0}, {4}, {"50@4<0 rows 4: repeat 50+0<0", NULL, NULL}},
};

/* Words of 4 bytes, which AVX2 moves across its two lanes. NEON has one. */
static const slice_row words[] = {
    {"pixels of words that are nearly as wide as two lanes", 4, 2, {300, 7}, {4, 1200}, {28, 4},
     {"300@28<4 7@4<1200 transpose 1 along 1 across", NULL, "300@28<4 7@4<1200 rows 4: gather 7+0<0/1200"}},
    {"channels of 4 bytes the other way round", 4, 2, {300, 3}, {12, -4}, {12, 4},
     {"300@12<12 3@4<-4 short rows 5 of 12", "300@12<12 3@4<-4 short rows 2 of 12",
      "300@12<12 3@4<-4 rows 4: gather 3+0<0/-4"}},
    {"pixels of 12 bytes the other way round", 4, 2, {300, 3}, {-12, 4}, {12, 4},
     {"300@12<-12 permuted rows 12: gather 300+0<0/-12 by 5", "300@12<-12 permuted rows 12: gather 300+0<0/-12 by 2",
      "300@12<-12 rows 12: gather 300+0<0/-12"}},
    {"many pixels of 16 bytes the other way round", 4, 2, {3000, 4}, {-16, 4}, {16, 4},
     {"3000@16<-16 permuted rows 16: gather 3000+0<0/-16 by 4", "3000@16<-16 rows 16: gather 3000+0<0/-16", NULL}},
    {"pixels of 16 bytes the other way round", 4, 2, {300, 4}, {-16, 4}, {16, 4},
     {"300@16<-16 permuted rows 16: gather 300+0<0/-16 by 4", "300@16<-16 rows 16: gather 300+0<0/-16", NULL}},
    {"two of three channels of 4 bytes", 4, 2, {300, 2}, {12, 4}, {8, 4},
     {"300@8<12 permuted rows 8: gather 300+0<0/12 by 8", "300@8<12 rows 8: gather 300+0<0/12", NULL}},
};
/* clang-format on */

static void expect_slices(const slice_row *rows, size_t count, int without)
{
    static const int64_t zeros[MOST_AXES], ones[MOST_AXES] = {1, 1, 1, 1};
    for (size_t i = 0; i < count; ++i) {
        const slice_row *row = &rows[i];
        for (int table = 0; table < TABLES; ++table) {
            dmlc_plan *plan = NULL;
            if (table == without)
                continue;
            const dmlc_status status = dmlc_make_slice(&plan, &tables[table], row->width, row->rank, row->sizes,
                                                       row->input, row->output, zeros, ones);
            expect_text(row->name, table, status, &plan, &row->wanted);
        }
    }
}

static void test_slices(void)
{
    expect_slices(slices, sizeof(slices) / sizeof(slices[0]), TABLES);
    expect_slices(words, sizeof(words) / sizeof(words[0]), NEON);
}

typedef struct padding_row {
    const char *name;
    dmlc_padding_mode mode;
    int64_t width;
    int32_t rank;
    int64_t sizes[MOST_AXES], input[MOST_AXES], output[MOST_AXES], start[MOST_AXES], end[MOST_AXES];
    choices wanted;
} padding_row;

/* clang-format off */
static const padding_row paddings[] = {
    {"constant", DMLC_PADDING_CONSTANT, 4, 1, {5}, {4}, {4}, {2}, {3},
     {"10@4[2- 5<4+0 3-] rows 4: fill 8+0 copy 20+8<0 fill 12+28", NULL, NULL}},
    {"constant around nothing", DMLC_PADDING_CONSTANT, 4, 1, {0}, {4}, {4}, {2}, {3},
     {"outside 5@4[5-] rows 4: fill 20+0", NULL, NULL}},
    {"edge", DMLC_PADDING_EDGE, 4, 1, {5}, {4}, {4}, {2}, {3},
     {"10@4[2<0+0 5<4+0 3<0+16] rows 4: repeat 2+0<0 copy 20+8<0 repeat 3+28<16", NULL, NULL}},
    {"a border of one is moved down the columns of a transpose", DMLC_PADDING_EDGE, 2, 2, {60, 16}, {2, 120}, {36, 2},
     {0, 1}, {0, 1},
     {"60@36<2 18@2[1<0+0 16<120+0 1<0+1800] transpose 1 along 1 across", NULL, NULL}},
    {"small channels are boxes", DMLC_PADDING_CONSTANT, 4, 3, {16, 7, 7}, {196, 28, 4}, {324, 36, 4}, {0, 1, 1}, {0, 1, 1},
     {"16@324<196 9@36[1- 7<28+0 1-] 9@4[1- 7<4+0 1-] shuffles 2 axes 324: 6",
      "16@324<196 9@36[1- 7<28+0 1-] 9@4[1- 7<4+0 1-] shuffles 2 axes 324: 21",
      "16@324<196 9@36[1- 7<28+0 1-] 9@4[1- 7<4+0 1-] moves 2 axes 324: 14x16 6-8 6-16"}},
    {"the rows of a few are", DMLC_PADDING_CONSTANT, 4, 3, {3, 7, 7}, {196, 28, 4}, {324, 36, 4}, {0, 1, 1}, {0, 1, 1},
     {"3@324<196 9@36[1- 7<28+0 1-] 9@4[1- 7<4+0 1-] shuffles 1 axes 36: 1",
      "3@324<196 9@36[1- 7<28+0 1-] 9@4[1- 7<4+0 1-] shuffles 1 axes 36: 3",
      "3@324<196 9@36[1- 7<28+0 1-] 9@4[1- 7<4+0 1-] moves 1 axes 36: filled 2x16"}},
    {"long rows that are filled for the most part are, too", DMLC_PADDING_CONSTANT, 4, 3, {1344, 1, 55}, {220, 220, 4},
     {744, 248, 4}, {0, 1, 2}, {0, 1, 5},
     {"1344@744<220 3@248[1- 1<0+0 1-] 62@4[2- 55<4+0 5-] moves 2 axes 744: filled 7x32", NULL, NULL}},
    {"boxes of large elements that are filled for the most part are filled first", DMLC_PADDING_CONSTANT, 16, 3, {1000, 1, 5},
     {80, 80, 16}, {480, 160, 16}, {0, 1, 1}, {0, 1, 4},
     {"1000@480<80 3@160[1- 1<0+0 1-] 10@16[1- 5<16+0 4-] moves 2 axes 480: filled 3x32", NULL, NULL}},
    {"short rows are filled at once and copied to", DMLC_PADDING_CONSTANT, 2, 3, {16, 28, 28}, {1568, 56, 2},
     {1800, 60, 2}, {0, 1, 1}, {0, 1, 1},
     {"16@1800<1568 30@60[1- 28<56+0 1-] 30@2[1- 28<2+0 1-] shuffles 1 axes 60: 1",
      "16@1800<1568 30@60[1- 28<56+0 1-] 30@2[1- 28<2+0 1-] filled rows 60: copy 56+2<0", NULL}},
    {"rows of two narrow blocks are shuffles", DMLC_PADDING_CONSTANT, 1, 2, {3224, 26}, {26, 1}, {32, 1}, {0, 3}, {0, 3},
     {"3224@32<26 32@1[3- 26<1+0 3-] short rows 2 of 32", "3224@32<26 32@1[3- 26<1+0 3-] shuffles 1 axes 32: 2",
      "3224@32<26 32@1[3- 26<1+0 3-] filled rows 32: copy 26+3<0"}},
    {"rows of a few bytes inside a wide border have no ends", DMLC_PADDING_CONSTANT, 8, 2, {1000, 5}, {40, 8}, {184, 8},
     {0, 9}, {0, 9}, {"1000@184<40 23@8[9- 5<8+0 9-] filled rows 184: copy 40+72<0", NULL, NULL}},
    {"short rows in the cache are boxes", DMLC_PADDING_CONSTANT, 8, 2, {1000, 3}, {24, 8}, {40, 8}, {0, 1}, {0, 1},
     {"1000@40<24 5@8[1- 3<8+0 1-] shuffles 1 axes 40: 1",
      "1000@40<24 5@8[1- 3<8+0 1-] filled rows 40: copy 24+8<0", NULL}},
    {"and from memory permutations", DMLC_PADDING_CONSTANT, 8, 2, {1000000, 3}, {24, 8}, {40, 8}, {0, 1}, {0, 1},
     {"1000000@40<24 5@8[1- 3<8+0 1-] short rows 1 of 40",
      "1000000@40<24 5@8[1- 3<8+0 1-] filled rows 40: copy 24+8<0", NULL}},
    {"reflection within the input", DMLC_PADDING_REFLECTION, 4, 1, {5}, {4}, {4}, {2}, {3},
     {"10@4[2<-4+8 5<4+0 3<-4+12] rows 4: gather 2+0<8/-4 copy 20+8<0 gather 3+28<12/-4", NULL, NULL}},
    {"symmetric within the input", DMLC_PADDING_SYMMETRIC, 4, 1, {5}, {4}, {4}, {2}, {3},
     {"10@4[2<-4+4 5<4+0 3<-4+16] rows 4: gather 2+0<4/-4 copy 20+8<0 gather 3+28<16/-4", NULL, NULL}},
    {"wrap within the input", DMLC_PADDING_WRAP, 4, 1, {5}, {4}, {4}, {2}, {3},
     {"10@4[2<4+12 5<4+0 3<4+0] rows 4: copy 8+0<12 copy 20+8<0 copy 12+28<0", NULL, NULL}},
    {"reflection of one element repeats it", DMLC_PADDING_REFLECTION, 4, 1, {1}, {4}, {4}, {2}, {3},
     {"6@4<0 rows 4: repeat 6+0<0", NULL, NULL}},
    {"a wrap beyond the input replicates a turn", DMLC_PADDING_WRAP, 4, 1, {3}, {4}, {4}, {2}, {100},
     {"105@4[3<4+0 from 1] rows 4: copy 8+0<4 copy 4+8<0 replicate 102+12/12", NULL, NULL}},
    {"a mirror beyond the input replicates a turn", DMLC_PADDING_SYMMETRIC, 4, 1, {2}, {4}, {4}, {1}, {100},
     {"103@4[2<4+0 2<-4+4 from 3] rows 4: copy 4+0<0 copy 8+4<0 copy 4+12<4 replicate 99+16/16", NULL, NULL}},
    {"short rows of wide elements are ends or boxes", DMLC_PADDING_SYMMETRIC, 16, 2, {100, 9}, {144, 16}, {208, 16}, {0, 2}, {0, 2},
     {"100@208<144 13@16[2<-16+16 9<16+0 2<-16+128] ends 1, 80, 1",
      "100@208<144 13@16[2<-16+16 9<16+0 2<-16+128] ends 2, 144, 2",
      "100@208<144 13@16[2<-16+16 9<16+0 2<-16+128] moves 1 axes 208: 13x16"}},
    {"rows that mostly gather are boxes, too", DMLC_PADDING_SYMMETRIC, 8, 2, {242, 16}, {384, 24}, {152, 8}, {0, 1}, {0, 2},
     {"242@152<384 19@8[1<0+0 16<24+0 2<-24+360] shuffles 1 axes 152: 5 by 2, 368",
      "242@152<384 19@8[1<0+0 16<24+0 2<-24+360] shuffles 1 axes 152: 10 by 2, 368",
      "242@152<384 19@8[1<0+0 16<24+0 2<-24+360] moves 1 axes 152: 19x8 by 2, 368"}},
    {"but not those of more than a KB", DMLC_PADDING_SYMMETRIC, 8, 2, {60, 126}, {3024, 24}, {1032, 8}, {0, 1}, {0, 2},
     {"60@1032<3024 129@8[1<0+0 126<24+0 2<-24+3000] rows 8: copy 8+0<0 gather 126+8<0/24 gather 2+1016<3000/-24", NULL, NULL}},
    {"many rows of a few wide elements are boxes, and no passes over all of them", DMLC_PADDING_WRAP, 16, 2, {60000, 2},
     {32, 16}, {64, 16}, {0, 1}, {0, 1},
     {"60000@64<32 4@16[1<0+16 2<16+0 1<0+0] shuffles 1 axes 64: 1",
      "60000@64<32 4@16[1<0+16 2<16+0 1<0+0] moves 1 axes 64: 4x16", NULL}},
    {"pixels: the columns and channels of an image are one row", DMLC_PADDING_CONSTANT, 1, 3, {40, 50, 30},
     {1500, 30, 1}, {1560, 30, 1}, {0, 1, 0}, {0, 1, 0},
     {"40@1560<1500 1560@1[30- 1500<1+0 30-] ends 1, 1432, 1",
      "40@1560<1500 1560@1[30- 1500<1+0 30-] ends 2, 1500, 2",
      "40@1560<1500 1560@1[30- 1500<1+0 30-] rows 1: fill 30+0 copy 1500+30<0 fill 30+1530"}},
    {"wide pixels over and over are ends of several blocks", DMLC_PADDING_EDGE, 4, 3, {40, 50, 3}, {600, 12, 4},
     {792, 12, 4}, {0, 8, 0}, {0, 8, 0},
     {"40@792<600 66@12[8<0+0 50<12+0 8<0+588] ends 2, 536, 2",
      "40@792<600 66@12[8<0+0 50<12+0 8<0+588] ends 6, 600, 6",
      "40@792<600 66@12[8<0+0 50<12+0 8<0+588] rows 12: gather 8+0<0/0 copy 600+96<0 gather 8+696<588/0"}},
    {"what is filled between boxes takes calls", DMLC_PADDING_CONSTANT, 8, 3, {1206, 2, 5}, {80, 40, 8}, {2352, 56, 8}, {0, 20, 2}, {0, 20, 0},
     {"1206@2352<80 42@56[20- 2<40+0 20-] 7@8[2- 5<8+0] moves 2 axes 2352: filled 4x32", NULL,
      "1206@2352<80 42@56[20- 2<40+0 20-] 7@8[2- 5<8+0] moves 2 axes 2352: filled 6x16"}},
    {"planes inside a border that is filled are pixels at once", DMLC_PADDING_CONSTANT, 1, 3, {160, 200, 3}, {200, 1, 32000},
     {624, 3, 1}, {4, 4, 0}, {4, 4, 0},
     {"168@624[4- 160<200+0 4-] 208@3[4- 200<1+0 4-] 3@1<32000 transpose 1 along 1 across", NULL,
      "168@624[4- 160<200+0 4-] 208@3[4- 200<1+0 4-] 3@1<32000 rows 1: gather 3+0<0/32000"}},
    {"inside a border that is read they are pixels first", DMLC_PADDING_WRAP, 1, 3, {160, 200, 3}, {200, 1, 32000},
     {624, 3, 1}, {4, 4, 0}, {4, 4, 0},
     {"168@624[4<200+31200 160<200+0 4<200+0] 208@3[4<1+196 200<1+0 4<1+0] 3@1<32000 "
      "packed 600: (transpose 1 along 1 across) (rows 1: copy 12+0<588 copy 600+12<0 copy 12+612<0)", NULL,
      "168@624[4<200+31200 160<200+0 4<200+0] 208@3[4<1+196 200<1+0 4<1+0] 3@1<32000 rows 1: gather 3+0<0/32000"}},
    {"and of larger pixels the border grows from them", DMLC_PADDING_REFLECTION, 4, 3, {200, 240, 3}, {960, 4, 192000}, {2952, 12, 4},
     {3, 3, 0}, {3, 3, 0},
     {"206@2952[3<-960+2880 200<960+0 3<-960+190080] 246@12[3<-4+12 240<4+0 3<-4+952] 3@4<192000 grown (transpose 1 along 1 across) "
      "(shuffles 1 axes 36: 1) (shuffles 1 axes 36: 1)",
      "206@2952[3<-960+2880 200<960+0 3<-960+190080] 246@12[3<-4+12 240<4+0 3<-4+952] 3@4<192000 grown (transpose 1 along 1 across) "
      "(rows 12: gather 3+0<0/-12) (rows 12: gather 3+0<0/-12)",
      "206@2952[3<-960+2880 200<960+0 3<-960+190080] 246@12[3<-4+12 240<4+0 3<-4+952] 3@4<192000 grown "
      "(rows 4: gather 3+0<0/192000) (rows 12: gather 3+0<0/-12) (rows 12: gather 3+0<0/-12)"}},
    {"which is filled before where it is outside", DMLC_PADDING_CONSTANT, 1, 3, {300, 35, 60}, {35, 1, 10500}, {3100, 80, 1},
     {0, 1, 10}, {0, 1, 10},
     {"10@93000<1050 30@3100<35 37@80[1- 35<1+0 1-] 80@1[10- 60<10500+0 10-] grown (outside rows 1: copy 2960+0<0) "
      "(transpose 1 along 2 across, 35 places)", NULL, NULL}},
    {"what an edge repeats is no tile", DMLC_PADDING_EDGE, 1, 3, {4, 81, 210}, {1, 1055, 5}, {17010, 210, 1}, {4, 0, 0},
     {4, 0, 0},
     {"12@17010[4<0+0 4<1+0 4<0+3] 81@210<1055 210@1<5 permuted rows 1: gather 210+0<0/5 by 26",
      "12@17010[4<0+0 4<1+0 4<0+3] 81@210<1055 210@1<5 shuffles 1 axes 210: 14 by 1, 1046",
      "3@5670<28485 12@17010[4<0+0 4<1+0 4<0+3] 27@210<1055 210@1<5 packed 22680: (transpose 2 along 1 across, 840 sources) "
      "(rows 1: copy 5670+0<0)"}},
    {"a row that is gathered in whole turns is so once", DMLC_PADDING_WRAP, 4, 1, {50}, {12}, {4}, {0}, {100},
     {"150@4[50<12+0 from 0] rows 4: gather 50+0<0/12 replicate 100+200/200", NULL, NULL}},
    {"turns of what is transposed are packed a part at a time, and all but the first copied", DMLC_PADDING_WRAP, 2, 2, {60, 500},
     {2, 120}, {3000, 2}, {0, 0}, {120, 1000},
     {"3@180000<0 2@90000<60 30@3000<2 1500@2[500<120+0 from 0] packed 30000: (transpose 1 along 1 across) "
      "(rows 2: copy 1000+0<0 copy 1000+1000<0 copy 1000+2000<0)", NULL, NULL}},
    {"one that is copied is copied from the input", DMLC_PADDING_WRAP, 4, 1, {50}, {4}, {4}, {0}, {100},
     {"150@4[50<4+0 50<4+0 50<4+0] rows 4: copy 200+0<0 copy 200+200<0 copy 200+400<0", NULL, NULL}},
    {"whole turns over and over are one row of turns", DMLC_PADDING_WRAP, 1, 2, {1, 2}, {2, 1}, {10, 1}, {0, 0}, {48, 8},
     {"490@1[2<1+0 from 0] rows 1: copy 2+0<0 replicate 488+2/2", NULL, NULL}},
    {"so is a border over and over", DMLC_PADDING_CONSTANT, 4, 2, {40, 50}, {0, 4}, {212, 4}, {0, 1}, {0, 2},
     {"2120@4[1- 50<4+0 2- from 0] rows 4: fill 4+0 copy 200+4<0 fill 8+204 replicate 2067+212/212", NULL, NULL}},
    {"but not turns that begin in the middle of one", DMLC_PADDING_WRAP, 1, 2, {40, 5}, {0, 1}, {22, 1}, {0, 0}, {0, 17},
     {"40@22<0 22@1[5<1+0 from 0] short rows 2 of 22", "40@22<0 22@1[5<1+0 from 0] moves 1 axes 22: 1x2 8x4 by 6", NULL}},
    {"nor little of it in each of many", DMLC_PADDING_WRAP, 1, 3, {500, 1, 5}, {5, 5, 1}, {80, 10, 1}, {0, 0, 0}, {0, 7, 5},
     {"500@80<5 8@10<0 10@1[5<1+0 5<1+0] shuffles 2 axes 80: 2",
      "500@80<5 8@10<0 10@1[5<1+0 5<1+0] moves 2 axes 80: 32x4", NULL}},
    {"but much is", DMLC_PADDING_WRAP, 1, 3, {500, 1, 5}, {5, 5, 1}, {8000, 20, 1}, {0, 0, 0}, {0, 399, 15},
     {"500@8000<5 8000@1[5<1+0 from 0] rows 1: copy 5+0<0 replicate 7995+5/5", NULL, NULL}},
    {"of turns, the longest is the copy", DMLC_PADDING_WRAP, 1, 2, {40, 600}, {600, 1}, {616, 1}, {0, 8}, {0, 8},
     {"40@616<600 616@1[8<1+592 600<1+0 8<1+0] ends 1, 488, 1",
      "40@616<600 616@1[8<1+592 600<1+0 8<1+0] ends 1, 600, 1",
      "40@616<600 616@1[8<1+592 600<1+0 8<1+0] rows 1: copy 8+0<592 copy 600+8<0 copy 8+608<0"}},
    {"long ends are pieces", DMLC_PADDING_CONSTANT, 4, 2, {40, 300}, {1200, 4}, {1720, 4}, {0, 65}, {0, 65},
     {"40@1720<1200 430@4[65- 300<4+0 65-] rows 4: fill 260+0 copy 1200+260<0 fill 260+1460", NULL, NULL}},
    {"ends as long as may be", DMLC_PADDING_EDGE, 4, 2, {40, 300}, {1200, 4}, {1712, 4}, {0, 64}, {0, 64},
     {"40@1712<1200 428@4[64<0+0 300<4+0 64<0+1196] ends 4, 1200, 4",
      "40@1712<1200 428@4[64<0+0 300<4+0 64<0+1196] ends 16, 1200, 16",
      "40@1712<1200 428@4[64<0+0 300<4+0 64<0+1196] rows 4: repeat 64+0<0 copy 1200+256<0 repeat 64+1456<1196"}},
    {"an outer axis keeps its segments", DMLC_PADDING_EDGE, 4, 2, {4, 50}, {200, 4}, {200, 4}, {1, 0}, {2, 0},
     {"7@200[1<0+0 4<200+0 2<0+600] 50@4<4 rows 4: copy 200+0<0", NULL, NULL}},
};
/* clang-format on */

static void test_paddings(void)
{
    for (size_t i = 0; i < sizeof(paddings) / sizeof(paddings[0]); ++i) {
        const padding_row *row = &paddings[i];
        for (int table = 0; table < TABLES; ++table) {
            dmlc_plan *plan = NULL;
            const dmlc_status status = dmlc_make_padding(&plan, &tables[table], row->width, row->rank, row->sizes,
                                                         row->input, row->output, row->start, row->end, row->mode);
            expect_text(row->name, table, status, &plan, &row->wanted);
        }
    }
}

typedef struct one_hot_row {
    const char *name;
    int64_t width;
    int32_t rank, axis;
    int64_t sizes[MOST_AXES], indices[MOST_AXES], output[MOST_AXES];
    choices wanted;
} one_hot_row;

/* clang-format off */
static const one_hot_row one_hots[] = {
    {"the positions are one axis", 4, 3, 2, {20, 30, 5}, {240, 8, 0}, {600, 20, 4},
     {"600@20<8 select 5@4 by tiles", "600@20<8 select 5@4 by tiles",
      "600@20<8 select 5@4 by sequences"}},
    {"along the first axis", 4, 3, 0, {5, 20, 30}, {0, 240, 8}, {2400, 120, 4},
     {"600@4<8 select 5@2400 by planes", NULL, NULL}},
    {"of a scalar", 4, 1, 0, {5}, {0}, {4}, {"1@0<0 select 5@4 by scatter", NULL, NULL}},
    {"four classes: a tile of few positions", 4, 2, 1, {4096, 4}, {8, 0}, {16, 4},
     {"4096@16<8 select 4@4 by tiles", "4096@16<8 select 4@4 by tiles",
      "4096@16<8 select 4@4 by sequences"}},
    {"more tiles than registers", 4, 2, 1, {4096, 13}, {8, 0}, {52, 4},
     {"4096@52<8 select 13@4 by sequences", NULL, NULL}},
    {"more classes than bytes tell apart", 1, 2, 1, {4096, 300}, {8, 0}, {300, 1},
     {"4096@300<8 select 300@1 by scatter", NULL, NULL}},
    {"many classes", 4, 2, 1, {4096, 1000}, {8, 0}, {4000, 4},
     {"4096@4000<8 select 1000@4 by scatter", NULL, NULL}},
    {"many along the first axis: all is filled at once", 4, 2, 0, {1000, 4096}, {0, 8}, {16384, 4},
     {"4096@4<8 select 1000@16384 by scatter", NULL, NULL}},
    {"too many to be made ready", 4, 2, 1, {4096, 5000}, {8, 0}, {20000, 4},
     {"4096@20000<8 select 5000@4 by scatter", NULL, NULL}},
    {"two positions: nothing is made ready", 4, 2, 1, {2, 500}, {8, 0}, {2000, 4},
     {"2@2000<8 select 500@4 by scatter", NULL, NULL}},
    {"a few positions inside", 1, 3, 1, {256, 5, 3}, {24, 0, 8}, {15, 3, 1},
     {"256@15<24 3@1<8 select 5@3 by tiles, 3 inside", NULL, "256@15<24 3@1<8 select 5@3 by scatter, 3 inside"}},
    {"and their indices are runs with gaps between them", 1, 3, 1, {256, 5, 3}, {56, 0, 8}, {15, 3, 1},
     {"256@15<56 3@1<8 select 5@3 by tiles, 3 inside", NULL, "256@15<56 3@1<8 select 5@3 by scatter, 3 inside"}},
    {"so many classes that all is filled", 4, 3, 1, {256, 50, 3}, {24, 0, 8}, {600, 12, 4},
     {"256@600<24 3@4<8 select 50@12 by scatter, 3 inside", NULL, NULL}},
    {"more of them than a unit has room for", 4, 3, 1, {256, 1000, 3}, {24, 0, 8}, {12000, 12, 4},
     {"256@12000<24 3@4<8 select 1000@12 by scatter", NULL, NULL}},
    {"positions that a look-up reaches from each lane", 1, 3, 1, {256, 2, 6}, {48, 0, 8}, {12, 6, 1},
     {"256@12<48 6@1<8 select 2@6 by tiles, 6 inside", NULL, "256@12<48 6@1<8 select 2@6 by scatter, 6 inside"}},
    {"positions inside that are too far apart for lanes", 1, 3, 1, {256, 4, 20}, {160, 0, 8}, {80, 20, 1},
     {"256@80<160 20@1<8 select 4@20 by tiles, 20 inside", "256@80<160 20@1<8 select 4@20 by scatter, 20 inside",
      NULL}},
    {"many positions inside", 4, 3, 1, {16, 5, 1000}, {8000, 0, 8}, {20000, 4000, 4},
     {"16@20000<8000 1000@4<8 select 5@4000 by planes", NULL, NULL}},
};
/* clang-format on */

static void test_one_hots(void)
{
    for (size_t i = 0; i < sizeof(one_hots) / sizeof(one_hots[0]); ++i) {
        const one_hot_row *row = &one_hots[i];
        for (int table = 0; table < TABLES; ++table) {
            dmlc_plan *plan = NULL;
            const dmlc_status status = dmlc_make_one_hot(&plan, &tables[table], row->width, DMLC_INDEX_INT64, 1,
                                                         row->rank, row->sizes, row->indices, row->output, row->axis);
            expect_text(row->name, table, status, &plan, &row->wanted);
        }
    }
}

typedef struct band_row {
    const char *name;
    dmlc_band_background background;
    int64_t sizes[4], input[4], output[4]; /* of three axes where the fourth has none */
    int64_t begin, end;
    choices wanted;
} band_row;

/* clang-format off */
static const band_row bands[] = {
    {"a band", DMLC_BACKGROUND_VALUE, {3, 4, 5}, {80, 20, 4}, {80, 20, 4}, -1, 2,
     {"3@80<0 band -1..2 of 4x5@20,4 by windows", NULL, NULL}},
    {"an end before its begin", DMLC_BACKGROUND_VALUE, {3, 4, 5}, {80, 20, 4}, {80, 20, 4}, 2, -1,
     {"3@80<0 all but band -1..2 of 4x5@20,4 by windows", NULL, NULL}},
    {"columns that lie apart", DMLC_BACKGROUND_VALUE, {3, 4, 5}, {80, 4, 16}, {80, 4, 16}, -1, 3,
     {"3@80<0 band -2..2 of 5x4@16,4 by windows", NULL, NULL}},
    {"rows that lie apart", DMLC_BACKGROUND_VALUE, {3, 4, 5}, {96, 24, 4}, {96, 24, 4}, -1, 2,
     {"3@96<0 band -1..2 of 4x5@24,4 by rows", NULL, NULL}},
    {"a large identity", DMLC_BACKGROUND_VALUE, {1, 1024, 1024}, {0, 4096, 4}, {0, 4096, 4}, 0, 1,
     {"band 0..1 of 1024x1024@4096,4 by filled", NULL, NULL}},
    {"an identity of a few KB", DMLC_BACKGROUND_VALUE, {1, 32, 32}, {0, 128, 4}, {0, 128, 4}, 0, 1,
     {"band 0..1 of 32x32@128,4 by windows", NULL, NULL}},
    {"one of many", DMLC_BACKGROUND_VALUE, {1, 200, 200}, {0, 800, 4}, {0, 800, 4}, 0, 1,
     {"band 0..1 of 200x200@800,4 by filled", NULL, NULL}},
    {"a mask", DMLC_BACKGROUND_VALUE, {1, 64, 64}, {0, 256, 4}, {0, 256, 4}, -64, 1,
     {"band -64..1 of 64x64@256,4 by windows", NULL, NULL}},
    {"one of longer rows", DMLC_BACKGROUND_VALUE, {1, 512, 512}, {0, 2048, 4}, {0, 2048, 4}, -512, 1,
     {"band -512..1 of 512x512@2048,4 by windows", NULL, "band -512..1 of 512x512@2048,4 by rows"}},
    {"a large mask", DMLC_BACKGROUND_VALUE, {1, 2048, 2048}, {0, 8192, 4}, {0, 8192, 4}, -2048, 1,
     {"band -2048..1 of 2048x2048@8192,4 by rows", NULL, NULL}},
    {"triangles of small matrices", DMLC_BACKGROUND_INPUT, {1000, 8, 8}, {256, 32, 4}, {256, 32, 4}, -8, 1,
     {"1000@256<256 band -8..1 of 8x8@32,4 by windows", NULL, NULL}},
    {"triangles of columns", DMLC_BACKGROUND_INPUT, {1000, 64, 1}, {256, 4, 4}, {256, 4, 4}, -32, 1,
     {"1000@256<256 band -32..1 of 64x1@4,4 by windows", NULL, NULL}},
    {"a triangle of a long column", DMLC_BACKGROUND_INPUT, {1, 100000, 1}, {0, 4, 4}, {0, 4, 4}, -50000, 1,
     {"band -50000..1 of 100000x1@4,4 by rows", NULL, NULL}},
    {"single elements are kept or set", DMLC_BACKGROUND_INPUT, {1000, 1, 1}, {8, 4, 4}, {8, 4, 4}, 0, 1,
     {"outside 1000@8<0 rows 4: gather 1000+0<0/0", NULL, NULL}},
    {"where all is set nothing is read", DMLC_BACKGROUND_INPUT, {1000, 8, 8}, {256, 4, 32}, {256, 32, 4}, -8, 8,
     {"outside 64000@4<0 rows 4: repeat 64000+0<0", NULL, NULL}},
    {"a triangle of a large matrix", DMLC_BACKGROUND_INPUT, {1, 2048, 2048}, {0, 8192, 4}, {0, 8192, 4}, -2048, 1,
     {"band -2048..1 of 2048x2048@8192,4 by rows", NULL, NULL}},
    {"what is set of an input that lies apart is filled, not copied", DMLC_BACKGROUND_INPUT, {7, 9494, 8},
     {1214080, 128, 16}, {303808, 32, 4}, -100000, 5,
     {"7@303808<1214080 band -9494..5 of 9494x8@32,4 by rows", NULL, NULL}},
    {"a transposed input is copied before", DMLC_BACKGROUND_INPUT, {1, 24, 24}, {0, 4, 96}, {0, 96, 4}, -24, 1,
     {"after a copy band -24..1 of 24x24@96,4 by windows", NULL, "band -24..1 of 24x24@96,4 by rows"}},
    {"but not where the band leaves little of much", DMLC_BACKGROUND_INPUT, {17, 82, 114}, {37392, 4, 328}, {37392, 456, 4},
     -82, 66, {"17@37392<37392 band -82..66 of 82x114@456,4 by rows", NULL, NULL}},
    {"pairs of small matrices are copied to be one batch", DMLC_BACKGROUND_INPUT, {1000, 2, 4, 4}, {256, 64, 16, 4},
     {128, 64, 16, 4}, -4, 1,
     {"2000@64<0 after a copy band -4..1 of 4x4@16,4 by windows", NULL, NULL}},
    {"a diagonal in what is there", DMLC_BACKGROUND_KEEP, {1, 2048, 2048}, {0, 8192, 4}, {0, 8192, 4}, 0, 1,
     {"band 0..1 of 2048x2048@8192,4 by rows", NULL, NULL}},
};
/* clang-format on */

static void test_bands(void)
{
    for (size_t i = 0; i < sizeof(bands) / sizeof(bands[0]); ++i) {
        const band_row *row = &bands[i];
        for (int table = 0; table < TABLES; ++table) {
            dmlc_plan *plan = NULL;
            const dmlc_status status =
                dmlc_make_diagonal_matrix(&plan, &tables[table], 4, row->sizes[3] > 0 ? 4 : 3, row->sizes, row->input,
                                          row->output, row->begin, row->end, row->background);
            expect_text(row->name, table, status, &plan, &row->wanted);
        }
    }
}

int main(void)
{
    test_slices();
    test_paddings();
    test_one_hots();
    test_bands();
    return expectations_met();
}
